// A test-and-test-and-set lock that forgets to set atomically: between the test and the write another
// thread can pass its test. Every model shows it, sc and tso as a lost increment.
//
// source: L. Rudolph, Z. Segall, "Dynamic Decentralized Cache Schemes for MIMD Parallel Processors",
//         ISCA 1984
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc violated assertion line=59 no-races
// expect: tso violated assertion line=59 no-races
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
        if (atomic_load_explicit(&taken, memory_order_acquire) == 0) {
            atomic_store_explicit(&taken, 1, memory_order_relaxed);
            return;
        }
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
