// Treiber's stack whose pop frees the node at once: another pop that has read the same top pointer
// follows it into freed memory. Not a matter of orderings: every model shows it. hazard.c has a cure.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986;
//         M. M. Michael, "Hazard Pointers", IEEE TPDS 15(6), 2004, on why this fails
// expect: sc violated use-after-free
// expect: tso violated use-after-free
// expect: rc11 violated use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
    node->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &node->next, node))
        ;
}

static int pop(void)
{
    struct node *node = atomic_load(&top);
    for (;;) {
        if (node == NULL)
            return 0;
        struct node *next = node->next;
        if (atomic_compare_exchange_strong(&top, &node, next))
            break;
    }
    int value = node->value;
    free(node);
    return value;
}

static void *popper(void *arg)
{
    (void)arg;
    pop();
    return NULL;
}

int main(void)
{
    push(1);
    push(2);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, popper, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
