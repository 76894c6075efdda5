// A writer and two readers of a pair behind a sequence lock; readers look once.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint version;
static atomic_int one, two;

static void *read_pair(void *unused)
{
    (void)unused;
    unsigned before = atomic_load_explicit(&version, memory_order_acquire);
    int a = atomic_load_explicit(&one, memory_order_acquire);
    int b = atomic_load_explicit(&two, memory_order_acquire);
    unsigned after = atomic_load_explicit(&version, memory_order_relaxed);
    if (before == after && before % 2 == 0)
        assert(a == b);
    return 0;
}

int main(void)
{
    pthread_t readers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], 0, read_pair, 0);
    atomic_store_explicit(&version, 1, memory_order_relaxed);
    atomic_store_explicit(&one, 1, memory_order_release);
    atomic_store_explicit(&two, 1, memory_order_release);
    atomic_store_explicit(&version, 2, memory_order_release);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], 0);
}
