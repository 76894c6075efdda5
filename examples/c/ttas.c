// The test-and-test-and-set lock: look before trying, so that waiting threads share the cache line.
//
// source: L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors",
//         ISCA 1984
// published: ttaslock(3) 36, ttaslock(4) 576 executions, which is (N!)^2, and so here: the test of the k-th
//            thread sees the lock free in one of k places of its history. Elsewhere ttas-lock(N): N!, which
//            the bare compare-and-swap loop has (-DNO_TEST)
// expect: sc verified executions=4
// expect: tso verified executions=4
// expect: rc11 verified executions=4
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
