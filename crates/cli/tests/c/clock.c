// The time of day may be anything; as long as nothing depends on it, that is fine.
// expect: rc11 verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += 1;
    pthread_mutex_lock(&m);
    int r = pthread_cond_timedwait(&c, &m, &t);
    assert(r == 0 || r == ETIMEDOUT);
    pthread_mutex_unlock(&m);
}
