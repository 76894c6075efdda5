// A thread ends the process while another waits for a lock that it holds, and main waits for both.
// expect: rc11 verified
// check: --leaks
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *leave(void *arg) {
    int *left = malloc(4);
    *left = 1;
    pthread_mutex_lock(&m);
    exit(0);
    return arg;
}
void *wait(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, leave, 0);
    pthread_create(&b, 0, wait, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
