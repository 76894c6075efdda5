// Sequentially consistent accesses are ordered across the creation of a thread, also if it does nothing
// before the second one.
//
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *child(void *arg)
{
    a = atomic_load(&y);
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
    atomic_store(&x, 1);
    pthread_create(&second, NULL, child, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(a || b);
    return 0;
}
