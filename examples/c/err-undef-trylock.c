// `ok` is not set if the lock is taken.
// expect: sc violated uninitialised-read line=24
// expect: tso violated uninitialised-read line=24
// expect: rc11 violated uninitialised-read line=24
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *visitor(void *arg)
{
    int ok;
    if (pthread_mutex_trylock(&m) == 0) {
        ok = 1;
        pthread_mutex_unlock(&m);
    }
    assert(ok == 1);
    return arg;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, NULL, holder, NULL);
    pthread_create(&q, NULL, visitor, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    return 0;
}
