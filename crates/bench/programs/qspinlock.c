// qspinlock(N): the queued spin lock of the Linux kernel, once for each of N threads. The lock word has a bit for the
// holder, one for a thread that waits next, and the number of the last thread in a queue, which is an MCS queue
// for those who find the place of the waiting one taken.
//
// source: the description in W. Long, "qspinlock: a 4-byte queue spinlock with PV support" (LWN, 2014), and J. Corbet,
//         "MCS locks and qspinlocks" (LWN, 2014)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

enum { LOCKED = 1, PENDING = 2, TAIL = 4 }; // the tail is a multiple of TAIL: the thread's number, from 1

struct node {
    _Atomic(struct node *) next;
    atomic_int first;
};

static atomic_uint word;
static struct node nodes[N + 1];

static void queue(unsigned me)
{
    struct node *mine = &nodes[me];
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->first, 0, memory_order_relaxed);

    unsigned seen = atomic_load_explicit(&word, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&word, &seen, seen % TAIL + me * TAIL,
                                                    memory_order_acq_rel, memory_order_relaxed))
        ;
    if (seen / TAIL != 0) {
        atomic_store_explicit(&nodes[seen / TAIL].next, mine, memory_order_release);
        while (!atomic_load_explicit(&mine->first, memory_order_acquire))
            ;
    }
    // First in the queue: wait until nobody holds the lock and nobody is in front of us.
    while ((seen = atomic_load_explicit(&word, memory_order_acquire)) % TAIL != 0)
        ;
    if (seen / TAIL == me && atomic_compare_exchange_strong_explicit(&word, &seen, LOCKED,
                                                                     memory_order_acquire,
                                                                     memory_order_relaxed))
        return; // and last
    atomic_fetch_or_explicit(&word, LOCKED, memory_order_acquire);
    struct node *next;
    while ((next = atomic_load_explicit(&mine->next, memory_order_acquire)) == NULL)
        ;
    atomic_store_explicit(&next->first, 1, memory_order_release);
}

static void lock(unsigned me)
{
    unsigned seen = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &seen, LOCKED, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    if (seen == PENDING) // it is about to become LOCKED
        while ((seen = atomic_load_explicit(&word, memory_order_relaxed)) == PENDING)
            ;
    if (seen & ~(unsigned)LOCKED) {
        queue(me);
        return;
    }
    seen = atomic_fetch_or_explicit(&word, PENDING, memory_order_acquire);
    if (seen & ~(unsigned)LOCKED) {
        if (!(seen & PENDING))
            atomic_fetch_and_explicit(&word, ~(unsigned)PENDING, memory_order_relaxed);
        queue(me);
        return;
    }
    if (seen & LOCKED)
        while (atomic_load_explicit(&word, memory_order_acquire) & LOCKED)
            ;
    atomic_fetch_add_explicit(&word, LOCKED - PENDING, memory_order_acquire);
}

static void unlock(void)
{
    atomic_fetch_sub_explicit(&word, LOCKED, memory_order_release);
}

static int count;

static void *worker(void *arg)
{
    lock((unsigned)(uintptr_t)arg);
    count++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(uintptr_t)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
