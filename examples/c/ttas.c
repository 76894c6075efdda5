// The test-and-test-and-set lock: look before trying, so that waiting threads share the cache line.
//
// source: L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors",
//         ISCA 1984
// published: ttas-lock(N): N! executions, and so here. That the test saw the lock free at another moment than
//            the compare-and-swap makes no difference, so such executions are not explored. With
//            --disable confirmation there are (N!)^2, as the thesis has for ttaslock(3) and (4): the test
//            of the k-th thread sees the lock free in one of k places of its history
// expect: sc verified executions=2
// expect: tso verified executions=2
// expect: rc11 verified executions=2
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
