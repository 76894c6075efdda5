// A queue of one consumer; the list of nodes goes through `head`.
#include <stdatomic.h>
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

struct queue {
    _Atomic(struct node *) head;
    atomic_int length;
};

void push(struct queue *queue, int value);

static inline int front(struct queue *queue)
{
    struct node *node = atomic_load_explicit(&queue->head, memory_order_acquire);
    return node ? node->value : -1;
}
