// The flag is set and signalled without the mutex, between the look and the wait.
// expect: sc violated deadlock
#include <pthread.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
atomic_int ready;
void *waiter(void *arg) {
    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waiter, 0);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_join(a, 0);
}
