// The MCS queue lock: each thread spins on a flag in its own node, and the holder hands over by clearing
// the flag of its successor. N threads increment a plain counter.
//
// source: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
//         Multiprocessors", ACM TOCS 9(1), 1991
// published: mcs_spinlock(4) 15264, mcs_spinlock(5) 964320; the table does not describe its client, and one
//            round for each thread gives fewer
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    atomic_store_explicit(&after->waiting, false, memory_order_release);
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
