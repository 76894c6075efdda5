// The same with an effect that others see: a round that adds goes on, so it matters which one is the first to do so.
// expect: sc violated assertion
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *write(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write, 0);
    for (int i = 0; i < 2; i++)
        if (atomic_load_explicit(&x, memory_order_relaxed))
            atomic_fetch_add_explicit(&y, 1, memory_order_relaxed);
    assert(atomic_load_explicit(&y, memory_order_relaxed) != 1);
    pthread_join(thread, 0);
    return 0;
}
