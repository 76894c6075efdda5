// Time runs out only while another thread holds the lock.
// expect: rc11 verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
sem_t s;
int x;
void *other(void *arg) {
    struct timespec t = {0, 0};
    int r = pthread_mutex_timedlock(&m, &t);
    if (r == 0) { x++; pthread_mutex_unlock(&m); }
    else assert(r == ETIMEDOUT);
    return arg;
}
int main(void) {
    struct timespec t = {0, 0};
    assert(pthread_mutex_timedlock(&m, &t) == 0);
    pthread_mutex_unlock(&m);
    sem_init(&s, 0, 1);
    assert(sem_timedwait(&s, &t) == 0);
    assert(sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT);
    pthread_t a;
    pthread_create(&a, 0, other, 0);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
}
