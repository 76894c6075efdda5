// Load buffering in which a thread computes with what it read before it writes: the sum could overflow, which
// would be an error, but that is no dependency.
// expect: imm violated assertion
// expect: armv8 violated assertion
// expect: power violated assertion
// expect: riscv violated assertion
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b, sum;

static void *left(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_relaxed);
    sum = a + 1;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return NULL;
}

static void *right(void *arg)
{
    b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(!(a == 1 && b == 1));
    return 0;
}
