// treiber-stack: thread i pushes a times, pops b times and pushes c times, where the decimal digits of its define Ti
// are a, b and c: -DT1=210 pushes twice and pops once. N threads take part; the fifth and later ones push once. What
// is pushed is popped once at most.
// -DOPT: with accesses as weak as they can be.
//
// source: R. K. Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif
#ifndef T1
#define T1 100
#endif
#ifndef T2
#define T2 100
#endif
#ifndef T3
#define T3 10
#endif
#ifndef T4
#define T4 10
#endif

#ifdef OPT
#define LOOK memory_order_relaxed
#else
#define LOOK memory_order_acquire
#endif

struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;
static atomic_int popped[10 * N + 10];

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    if (node == NULL)
        abort();
    node->value = value;
    struct node *first;
    do {
        first = atomic_load_explicit(&top, LOOK);
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
        if (atomic_compare_exchange_strong_explicit(&top, &first, first->next,
#ifdef OPT
                                                    memory_order_relaxed,
#else
                                                    memory_order_acq_rel,
#endif
                                                    memory_order_relaxed))
            return first->value;
    }
}

static void *worker(void *arg)
{
#ifdef SAME // All do what the first one does.
    (void)arg;
    int plan = T1, value = 1;
#else
    const int plans[4] = {T1, T2, T3, T4};
    int me = (int)(intptr_t)arg;
    int plan = me < 4 ? plans[me] : 100;
    int value = 10 * me + 1;
#endif
    for (int i = plan / 100; i > 0; i--)
        push(value++);
    for (int i = plan / 10 % 10; i > 0; i--) {
        int got = pop();
        if (got != 0)
            assert(atomic_exchange_explicit(&popped[got], 1, memory_order_relaxed) == 0);
    }
    for (int i = plan % 10; i > 0; i--)
        push(value++);
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
