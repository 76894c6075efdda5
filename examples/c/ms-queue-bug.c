// The Michael-Scott queue with a relaxed compare-and-swap where a node is linked in: a dequeuer that
// reaches the node through `next` does not synchronise with the enqueuer, and its read of the value
// races with the initialisation. sc and tso keep the two writes in order.
//
// source: M. M. Michael, M. L. Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
//         Queue Algorithms", PODC 1996
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static struct node nodes[2];
static _Atomic(struct node *) head = &nodes[0];
static _Atomic(struct node *) tail = &nodes[0];

static void enqueue(struct node *node, int value)
{
    node->value = value;
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next == NULL) {
            if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_relaxed,
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
    enqueue(arg, 42);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, enqueuer, &nodes[1]);
    int value = dequeue();
    assert(value == 0 || value == 42);
    pthread_join(thread, NULL);
    return 0;
}
