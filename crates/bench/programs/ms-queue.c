// ms-queue: thread i enqueues a times, dequeues b times and enqueues c times, where the decimal digits of its define
// Ti are a, b and c: -DT1=210 enqueues twice and dequeues once. N threads take part; the fifth and later ones enqueue
// once. No item is dequeued twice.
// -DOPT: with accesses as weak as they can be. -DPLAIN_TAIL: the tail is stored, and nobody helps, so enqueuers
// wait for each other.
//
// source: M. M. Michael, M. L. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
//         Queue Algorithms", PODC 1996
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif
#ifndef T1
#define T1 100
#endif
#ifndef T2
#define T2 100
#endif
#ifndef T3
#define T3 10
#endif
#ifndef T4
#define T4 10
#endif

#ifdef OPT
#define LOOK memory_order_relaxed
#define MOVE memory_order_release
#else
#define LOOK memory_order_acquire
#define MOVE memory_order_acq_rel
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy;
static _Atomic(struct node *) tail = &dummy;
static atomic_int taken[10 * N + 10];

static void move(_Atomic(struct node *) *from, struct node *old, struct node *new)
{
    atomic_compare_exchange_strong_explicit(from, &old, new, MOVE, memory_order_relaxed);
}

static void enqueue(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
    atomic_init(&node->next, NULL);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
#ifdef PLAIN_TAIL
        if (next != NULL)
            continue;
#else
        if (last != atomic_load_explicit(&tail, LOOK))
            continue;
        if (next != NULL) {
            move(&tail, last, next);
            continue;
        }
#endif
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release,
                                                    memory_order_relaxed)) {
#ifdef PLAIN_TAIL
            atomic_store_explicit(&tail, node, memory_order_release);
#else
            move(&tail, last, node);
#endif
            return;
        }
    }
}

// Returns 0 if the queue is empty.
static int dequeue(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (first != atomic_load_explicit(&head, LOOK))
            continue;
        if (next == NULL)
            return 0;
        if (first == last) {
            move(&tail, last, next);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, MOVE, memory_order_relaxed))
            return value;
    }
}

static void *worker(void *arg)
{
#ifdef SAME // All do what the first one does.
    (void)arg;
    int plan = T1, value = 1;
#else
    const int plans[4] = {T1, T2, T3, T4};
    int me = (int)(intptr_t)arg;
    int plan = me < 4 ? plans[me] : 100;
    int value = 10 * me + 1;
#endif
    for (int i = plan / 100; i > 0; i--)
        enqueue(value++);
    for (int i = plan / 10 % 10; i > 0; i--) {
        int got = dequeue();
        if (got != 0)
            assert(atomic_exchange_explicit(&taken[got], 1, memory_order_relaxed) == 0);
    }
    for (int i = plan % 10; i > 0; i--)
        enqueue(value++);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
