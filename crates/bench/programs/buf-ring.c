// buf-ring(N): FreeBSD's ring buffer for many producers and consumers. An index is reserved by moving a head
// with compare-and-swap; the tails follow in the order of the reservations, so an operation ends by waiting for
// the ones that began before it. Moving a head has to release, too: who sees a head must not see the other side's
// tail as it was before that head was moved, or it takes a ring that is empty, or full, for one that is not.
//
// N threads enqueue one item each and then dequeue one.
//
// source: the description in FreeBSD's manual page buf_ring(9)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#define SIZE 4 // holds SIZE - 1 items
_Static_assert(N < SIZE + 1, "the ring is too small");

static atomic_uint producer_head, producer_tail, consumer_head, consumer_tail;
static int ring[SIZE];
static int got[N];

static bool enqueue(int item)
{
    unsigned head, next;
    do {
        head = atomic_load_explicit(&producer_head, memory_order_acquire);
        next = (head + 1) % SIZE;
        if (next == atomic_load_explicit(&consumer_tail, memory_order_acquire))
            return false; // full
    } while (!atomic_compare_exchange_strong_explicit(&producer_head, &head, next, memory_order_acq_rel,
                                                      memory_order_relaxed));
    ring[head] = item;
    while (atomic_load_explicit(&producer_tail, memory_order_acquire) != head)
        ;
    atomic_store_explicit(&producer_tail, next, memory_order_release);
    return true;
}

static bool dequeue(int *item)
{
    unsigned head, next;
    do {
        head = atomic_load_explicit(&consumer_head, memory_order_acquire);
        next = (head + 1) % SIZE;
        if (head == atomic_load_explicit(&producer_tail, memory_order_acquire))
            return false; // empty
    } while (!atomic_compare_exchange_strong_explicit(&consumer_head, &head, next, memory_order_acq_rel,
                                                      memory_order_relaxed));
    *item = ring[head];
    while (atomic_load_explicit(&consumer_tail, memory_order_acquire) != head)
        ;
    atomic_store_explicit(&consumer_tail, next, memory_order_release);
    return true;
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    if (enqueue(me + 1))
        dequeue(&got[me]);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++)
            assert(got[i] == 0 || got[i] != got[j]);
    return 0;
}
