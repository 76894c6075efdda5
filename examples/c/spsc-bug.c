// The ring with a producer that moves `head` with a relaxed store: the consumer may see that an item is
// there before it sees the item. Stores stay in order under sc and tso; rc11 shows a race on the slot.
//
// source: N. M. Le, A. Guatto, A. Cohen, A. Pop, "Correct and Efficient Bounded FIFO Queues",
//         SBAC-PAD 2013, on the orderings
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
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
        atomic_store_explicit(&head, i + 1, memory_order_relaxed);
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
