// The write that makes the division fail can only be read because the write after the division does not wait for
// it: an error that comes from load buffering.
// expect: imm violated division-by-zero
// expect: armv8 violated division-by-zero
// expect: power violated division-by-zero
// expect: riscv violated division-by-zero
// expect: x86 verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>

atomic_int x = 1, y;
int quotient;

static void *left(void *arg)
{
    int a = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    quotient = 10 / a;
    return NULL;
}

static void *right(void *arg)
{
    if (atomic_load_explicit(&y, memory_order_relaxed) == 1)
        atomic_store_explicit(&x, 0, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
