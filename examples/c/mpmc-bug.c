// The bounded ring with a producer that hands its cell to the consumer with a relaxed store: the consumer
// finds its turn come but not the item. Stores stay in order under sc and tso; rc11 shows a race on the
// cell.
//
// source: D. Vyukov, "Bounded MPMC queue", 1024cores.net, 2010
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#define SIZE 2

struct cell {
    atomic_uint sequence;
    int item;
};

static struct cell cells[SIZE];
static atomic_uint enqueue_pos, dequeue_pos;
static int got[N];

static bool enqueue(int item)
{
    unsigned pos = atomic_load_explicit(&enqueue_pos, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &cells[pos % SIZE];
        unsigned sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        int turn = (int)(sequence - pos);
        if (turn < 0)
            return false; // full
        if (turn > 0) {
            pos = atomic_load_explicit(&enqueue_pos, memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&enqueue_pos, &pos, pos + 1,
                                                           memory_order_relaxed,
                                                           memory_order_relaxed)) {
            cell->item = item;
            atomic_store_explicit(&cell->sequence, pos + 1, memory_order_relaxed);
            return true;
        }
    }
}

static bool dequeue(int *item)
{
    unsigned pos = atomic_load_explicit(&dequeue_pos, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &cells[pos % SIZE];
        unsigned sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        int turn = (int)(sequence - (pos + 1));
        if (turn < 0)
            return false; // empty
        if (turn > 0) {
            pos = atomic_load_explicit(&dequeue_pos, memory_order_relaxed);
        } else if (atomic_compare_exchange_strong_explicit(&dequeue_pos, &pos, pos + 1,
                                                           memory_order_relaxed,
                                                           memory_order_relaxed)) {
            *item = cell->item;
            atomic_store_explicit(&cell->sequence, pos + SIZE, memory_order_release);
            return true;
        }
    }
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
    for (unsigned i = 0; i < SIZE; i++)
        atomic_init(&cells[i].sequence, i);
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
