// The test-and-test-and-set lock: look before trying, so that waiting threads share the cache line.
//
// source: L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors",
//         ISCA 1984
// published: ttas-lock(N): N! executions. The test can see the lock free in more than one place of its
//            history, so with it there are more; -DNO_TEST, the bare compare-and-swap loop, has N!
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int taken;

static void lock(void)
{
    for (;;) {
#ifndef NO_TEST
        while (atomic_load_explicit(&taken, memory_order_relaxed) != 0)
            ;
#endif
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(&taken, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed))
            return;
    }
}

static void unlock(void)
{
    atomic_store_explicit(&taken, 0, memory_order_release);
}

static int count;

static void *worker(void *arg)
{
    (void)arg;
    lock();
    count++;
    unlock();
    return NULL;
}

int main(void)
{
    static int contexts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &contexts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
