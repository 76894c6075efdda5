// The Michael-Scott queue: a linked list with a dummy node; the tail pointer may lag one node behind and
// whoever finds it lagging pushes it on. Nodes are not reclaimed.
//
// N threads enqueue one value each, D threads dequeue once; the main thread dequeues what is left.
//
// source: M. M. Michael, M. L. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
//         Queue Algorithms", PODC 1996
// published: ms-queue(N), N threads with one operation each: N! executions (-DN=... -DD=0). Who moves the
//            tail on, the enqueuer or a helper, makes no difference and is not told apart (`helping`);
//            without that reduction there are 6 for N=2 and 126 for N=3.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 2
#endif
#ifndef D
#define D 1
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node dummy;
static _Atomic(struct node *) head = &dummy;
static _Atomic(struct node *) tail = &dummy;
static int taken[D + 1];

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
        if (next == NULL) {
            if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release,
                                                        memory_order_relaxed)) {
                atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release,
                                                        memory_order_relaxed);
                return;
            }
        } else {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                                    memory_order_relaxed);
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
        if (next == NULL)
            return 0;
        if (first == last) {
            atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release,
                                                    memory_order_relaxed);
            continue;
        }
        int value = next->value;
        if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return value;
    }
}

static void *enqueuer(void *arg)
{
    enqueue((int)(intptr_t)arg);
    return NULL;
}

static void *dequeuer(void *arg)
{
    taken[(intptr_t)arg] = dequeue();
    return NULL;
}

int main(void)
{
    pthread_t threads[N + D];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, enqueuer, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < D; i++)
        pthread_create(&threads[N + i], NULL, dequeuer, (void *)(intptr_t)i);
    for (int i = 0; i < N + D; i++)
        pthread_join(threads[i], NULL);

    int sum = 0;
    for (int i = 0; i < D; i++)
        sum += taken[i];
    for (int value = dequeue(); value != 0; value = dequeue())
        sum += value;
    assert(sum == N * (N + 1) / 2);
    return 0;
}
