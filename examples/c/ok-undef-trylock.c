// `ok` is set on both paths.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    } else {
        ok = 2;
    }
    assert(ok == 1 || ok == 2);
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
