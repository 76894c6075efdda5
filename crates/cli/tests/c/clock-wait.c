// The textbook timed wait: the deadline may be anything, and both ways of every decision by it are explored.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;
void *signal_it(void *arg) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, signal_it, 0);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    until.tv_nsec += 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    int late = 0;
    pthread_mutex_lock(&m);
    while (!ready && !late)
        late = pthread_cond_timedwait(&c, &m, &until) == ETIMEDOUT;
    assert(ready || late);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
