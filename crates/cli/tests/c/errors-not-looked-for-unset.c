// A value that was never set goes through a compare-and-exchange: that such a number was what was expected may come out as
// impossible when all is there. What was wrong with that graph, and is not looked for, is not wrong with the next one.
// check: --errors assertion
// expect: rc11 unknown
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
    _Atomic(struct node *) unset;
};

static _Atomic(struct node *) head;
static int seen;

static void push(memory_order order)
{
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    struct node *h = atomic_load_explicit(&head, memory_order_acquire);
    do {
        n->next = h;
    } while (!atomic_compare_exchange_strong_explicit(&head, &h, n, order, memory_order_relaxed));
}

static void *one(void *arg)
{
    struct node *h = atomic_load_explicit(&head, memory_order_acquire);
    if (h) {
        struct node *to = atomic_load_explicit(&h->unset, memory_order_relaxed);
        atomic_compare_exchange_strong(&head, &h, to);
    }
    push(memory_order_acquire);
    h = atomic_load_explicit(&head, memory_order_relaxed);
    if (h)
        seen = h->value;
    return arg;
}

static void *two(void *arg)
{
    push(memory_order_acq_rel);
    push(memory_order_acquire);
    push(memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(seen <= 3);
}
