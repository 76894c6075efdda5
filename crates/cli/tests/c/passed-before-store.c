// A thread that ends by an error which is not looked for does not show what it would write: that no execution of a
// beginning needs another way says nothing.
// expect: armv8 unknown errors=assertion
// expect: armv8 violated division-by-zero
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a;

static void *divides(void *arg)
{
    a = atomic_load_explicit(&x, memory_order_relaxed);
    volatile int quotient = 10 / a;
    (void)quotient;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, divides, NULL);
    int b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, b, memory_order_relaxed);
    pthread_join(t, NULL);
    assert(a != 1);
}
