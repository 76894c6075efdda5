// Sequentially consistent accesses are ordered across the end of a thread, also if it does nothing after
// the first one.
//
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int b;

static void *child(void *arg)
{
    atomic_store(&x, 1);
    return arg;
}

static void *other(void *arg)
{
    atomic_store(&y, 1);
    b = atomic_load(&x);
    return arg;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, other, NULL);
    pthread_create(&second, NULL, child, NULL);
    pthread_join(second, NULL);
    int a = atomic_load(&y);
    pthread_join(first, NULL);
    assert(a || b);
    return 0;
}
