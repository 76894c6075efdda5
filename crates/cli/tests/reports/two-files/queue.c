#include "queue.h"
#include <stdlib.h>

static struct node *make(int value, struct node *next)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = next;
    return node;
}

void push(struct queue *queue, int value)
{
    struct node *old = atomic_load_explicit(&queue->head, memory_order_relaxed);
    struct node *node = make(value, old);
    // Should be a release.
    atomic_store_explicit(&queue->head, node, memory_order_relaxed);
    atomic_fetch_add_explicit(&queue->length, 1, memory_order_release);
}
