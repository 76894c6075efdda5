// treiber-atomic-next: N threads push a node each, and the first -DPOPS=K of them pop one then. The
// link of a node is atomic, and is stored by a relaxed store before the node is known to others.
// -DRETRY: what the compare-and-exchange saw is tried next; -DNEXT=memory_order_release: a stronger store.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 4
#endif
#ifndef POPS
#define POPS 0
#endif
#ifndef NEXT
#define NEXT memory_order_relaxed
#endif

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;
static atomic_int popped[N + 1];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
#ifdef RETRY
    struct node *first = atomic_load_explicit(&top, memory_order_relaxed);
    do {
        atomic_store_explicit(&node->next, first, NEXT);
    } while (!atomic_compare_exchange_weak_explicit(&top, &first, node, memory_order_release,
                                                    memory_order_relaxed));
#else
    struct node *first;
    do {
        first = atomic_load_explicit(&top, memory_order_acquire);
        atomic_store_explicit(&node->next, first, NEXT);
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_acq_rel,
                                                      memory_order_relaxed));
#endif
}

// Returns 0 if the stack is empty.
static int pop(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&top, memory_order_acquire);
        if (first == NULL)
            return 0;
        struct node *next = atomic_load_explicit(&first->next, memory_order_relaxed);
        if (atomic_compare_exchange_strong_explicit(&top, &first, next, memory_order_acq_rel,
                                                    memory_order_relaxed))
            return first->value;
    }
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    push(me + 1);
    if (me < POPS) {
        int got = pop();
        if (got != 0)
            assert(atomic_exchange_explicit(&popped[got], 1, memory_order_relaxed) == 0);
    }
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
