// The MCS queue lock with a relaxed hand-over: the successor leaves its loop without synchronising with
// the critical section before it. Stores are not reordered under sc and tso; rc11 shows a race on the
// counter.
//
// source: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
//         Multiprocessors", ACM TOCS 9(1), 1991
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#include <stdbool.h>

struct mcs_node {
    _Atomic(struct mcs_node *) next;
    atomic_bool waiting;
};

static _Atomic(struct mcs_node *) tail;

static void lock(struct mcs_node *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->waiting, true, memory_order_relaxed);
    struct mcs_node *before = atomic_exchange_explicit(&tail, me, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->waiting, memory_order_acquire))
        ;
}

static void unlock(struct mcs_node *me)
{
    struct mcs_node *after = atomic_load_explicit(&me->next, memory_order_acquire);
    if (after == NULL) {
        struct mcs_node *expected = me;
        if (atomic_compare_exchange_strong_explicit(&tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((after = atomic_load_explicit(&me->next, memory_order_acquire)) == NULL)
            ;
    }
    atomic_store_explicit(&after->waiting, false, memory_order_relaxed);
}

static int count;

static void *worker(void *arg)
{
    lock(arg);
    count++;
    unlock(arg);
    return NULL;
}

int main(void)
{
    static struct mcs_node contexts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &contexts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
