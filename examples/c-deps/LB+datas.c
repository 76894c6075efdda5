// Load buffering in which each thread passes on what it read: a data dependency on both sides. A 1 would come
// out of thin air.
// expect: imm verified
// expect: armv8 verified
// expect: power verified
// expect: riscv verified
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int x, y;
int a, b;

static void *left(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, a, memory_order_relaxed);
    return NULL;
}

static void *right(void *arg)
{
    b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, b, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(a == 0 && b == 0);
    return 0;
}
