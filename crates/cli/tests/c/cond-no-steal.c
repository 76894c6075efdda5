// A thread that waits later does not take the wake-up of one that waited before. `second` waits only after
// the signal, and is woken by the broadcast.
// expect: rc11 verified
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waiting, signalled, over;
void *first(void *arg) {
    pthread_mutex_lock(&m);
    waiting = 1;
    while (!signalled) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
void *second(void *arg) {
    pthread_mutex_lock(&m);
    if (signalled)
        while (!over) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_mutex_lock(&m);
    signalled = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    pthread_mutex_lock(&m);
    over = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(b, 0);
}
