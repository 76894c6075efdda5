// Treiber's stack with a push that publishes its node with a relaxed compare-and-swap: the thread that
// pops the node may see the pointer but not what was written behind it. Stores stay in order under sc
// and tso; under rc11 nothing orders the initialisation of the node before the read of its value.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986
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
    struct node *next;
};

static struct node nodes[2];
static _Atomic(struct node *) top;

static void push(struct node *node, int value)
{
    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, memory_order_relaxed,
                                                    memory_order_relaxed))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node != NULL &&
           !atomic_compare_exchange_strong_explicit(&top, &node, node->next, memory_order_acquire,
                                                    memory_order_acquire))
        ;
    return node == NULL ? 0 : node->value;
}

static void *pusher(void *arg)
{
    struct node *node = arg;
    push(node, 1 + (int)(node - nodes));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, pusher, &nodes[i]);
    int value = pop();
    assert(value >= 0 && value <= 2);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
