// A detached thread that waits when main returns is no deadlock; one that could be joined is.
// expect: rc11 verified
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int work;
void *serve(void *arg) {
    pthread_mutex_lock(&m);
    while (!work) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, serve, 0);
    pthread_detach(a);
    return 0;
}
