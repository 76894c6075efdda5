// A step at the end of many calls.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static inline __attribute__((always_inline)) int look(void)
{
    return atomic_load_explicit(&x, memory_order_relaxed);
}

static void check(int seen)
{
    assert(!seen || look());
}

static void down(int levels, int seen)
{
    if (levels)
        down(levels - 1, seen);
    else
        check(seen);
}

static void publish(atomic_int *flag)
{
    atomic_store_explicit(flag, 1, memory_order_relaxed);
}

static void *writer(void *unused)
{
    publish(&x);
    publish(&y);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    down(12, atomic_load_explicit(&y, memory_order_relaxed));
    pthread_join(thread, NULL);
    return 0;
}
