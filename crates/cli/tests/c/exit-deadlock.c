// The same without the exit.
// expect: rc11 violated deadlock
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *leave(void *arg) { pthread_mutex_lock(&m); return arg; }
void *wait(void *arg) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return arg; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, leave, 0);
    pthread_create(&b, 0, wait, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
