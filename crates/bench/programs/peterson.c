// peterson(N): two threads enter a critical section N times with Peterson's algorithm.
// -DWEAK: with acquire and release, as if the order of sequentially consistent accesses were not checked. The
// algorithm does not work then, and nothing is asserted: only the executions count.
//
// source: G. L. Peterson, "Myths about the Mutual Exclusion Problem", IPL 12(3), 1981
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#ifdef WEAK
#define LOAD memory_order_acquire
#define STORE memory_order_release
#else
#define LOAD memory_order_seq_cst
#define STORE memory_order_seq_cst
#endif

static atomic_int flag[2];
static atomic_int turn;
static atomic_int inside;

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    for (int i = 0; i < N; i++) {
        atomic_store_explicit(&flag[me], 1, STORE);
        atomic_store_explicit(&turn, other, STORE);
        while (atomic_load_explicit(&flag[other], LOAD) && atomic_load_explicit(&turn, LOAD) == other)
            ;
        atomic_store_explicit(&inside, me, STORE);
        int seen = atomic_load_explicit(&inside, LOAD);
#ifdef WEAK
        (void)seen;
#else
        assert(seen == me);
#endif
        atomic_store_explicit(&flag[me], 0, STORE);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
