// Three threads that push to a stack.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};
static _Atomic(struct node *) top;

static void *push(void *value)
{
    struct node *node = malloc(sizeof *node);
    node->value = (int)(long)value;
    struct node *next = atomic_load_explicit(&top, memory_order_relaxed);
    do
        node->next = next;
    while (!atomic_compare_exchange_weak_explicit(&top, &next, node, memory_order_release, memory_order_relaxed));
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, push, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    int sum = 0;
    for (struct node *node = atomic_load(&top); node; node = node->next)
        sum += node->value;
    assert(sum == 6);
}
