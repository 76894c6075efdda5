// A thread hands over a value that it has not set; it is replaced before it is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int g = 5;

static void *thread(void *arg)
{
    int a;
    if (arg)
        a = 1;
    atomic_store(&g, a);
    return NULL;
}

int main(void)
{
    pthread_t p;
    pthread_create(&p, NULL, thread, NULL);
    pthread_join(p, NULL);
    int old = atomic_exchange(&g, 2);
    int older = old;
    (void)older;
    assert(atomic_load(&g) == 2);
    return 0;
}
