// A ring for one producer and one consumer. Each index has one writer, so no read-modify-write is needed:
// the producer's release of `head` publishes an item, the consumer's release of `tail` gives the slot back.
//
// N items go through a ring of two slots.
//
// source: L. Lamport, "Proving the Correctness of Multiprocess Programs", IEEE TSE SE-3(2), 1977;
//         N. M. Le, A. Guatto, A. Cohen, A. Pop, "Correct and Efficient Bounded FIFO Queues",
//         SBAC-PAD 2013
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#define SIZE 2

static int slots[SIZE];
static atomic_uint head, tail;

static void *producer(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < N; i++) {
        while (i - atomic_load_explicit(&tail, memory_order_acquire) == SIZE)
            ;
        slots[i % SIZE] = (int)i + 1;
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (unsigned i = 0; i < N; i++) {
        while (atomic_load_explicit(&head, memory_order_acquire) == i)
            ;
        assert(slots[i % SIZE] == (int)i + 1);
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
    pthread_join(thread, NULL);
    return 0;
}
