// Treiber's stack: push and pop swing one pointer with compare-and-swap. Nodes are not reclaimed, so a
// pointer never comes back and the ABA problem does not arise.
//
// N threads push one value each, P threads pop once; the main thread pops what is left.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986
// published: treiber-stack(N), N threads with one operation each: N! executions, and so here (-DN=... -DP=0).
//            With pops: treiber-stack(3) 8 executions and 8 blocked ones, the same as two pushes and a pop
// The loop of a push writes to the node in every round, but nobody sees the node before the loop is left.
// A pusher that saw the empty stack before a push and its pop, and pushes after them, is not told apart from one that
// looked after them (confirmation): 2 orders of the pushes, 3 places for the pop.
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
#ifndef P
#define P 1
#endif

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;
static int popped[P + 1];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
    struct node *first;
    do {
        first = atomic_load_explicit(&top, memory_order_relaxed);
        node->next = first;
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_release,
                                                      memory_order_relaxed));
}

// Returns 0 if the stack is empty.
static int pop(void)
{
    for (;;) {
        struct node *first = atomic_load_explicit(&top, memory_order_acquire);
        if (first == NULL)
            return 0;
        if (atomic_compare_exchange_strong_explicit(&top, &first, first->next, memory_order_acquire,
                                                    memory_order_relaxed))
            return first->value;
    }
}

static void *pusher(void *arg)
{
    push((int)(intptr_t)arg);
    return NULL;
}

static void *popper(void *arg)
{
    popped[(intptr_t)arg] = pop();
    return NULL;
}

int main(void)
{
    pthread_t threads[N + P];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, pusher, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < P; i++)
        pthread_create(&threads[N + i], NULL, popper, (void *)(intptr_t)i);
    for (int i = 0; i < N + P; i++)
        pthread_join(threads[i], NULL);

    int sum = 0;
    for (int i = 0; i < P; i++)
        sum += popped[i];
    for (int value = pop(); value != 0; value = pop())
        sum += value;
    assert(sum == N * (N + 1) / 2);
    return 0;
}
