// N threads push a node each; the compare-and-exchange leaves what it saw in the node itself.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

struct node {
    struct node *next;
};

static _Atomic(struct node *) top;

static void *pusher(void *arg)
{
    struct node *node = malloc(sizeof *node);

    if (node == NULL)
        abort();
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_strong_explicit(&top, &node->next, node, memory_order_release,
                                                    memory_order_relaxed))
        ;
    return arg;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, pusher, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
