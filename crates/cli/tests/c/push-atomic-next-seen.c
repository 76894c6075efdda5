// The node is published by a relaxed compare-and-exchange, so what an attempt that failed had stored
// may be seen, and
// that the node is there may not.
// expect: sc verified
// expect: tso verified
// expect: rc11 violated unpublished-object line=36
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { _Atomic(struct node *) next; };
static struct node bottom, other;
static _Atomic(struct node *) top = &bottom;
static struct node *found, *below;
static void *push(void *arg) {
    struct node *node = malloc(sizeof *node), *first;
    if (!node)
        abort();
    do {
        first = atomic_load_explicit(&top, memory_order_relaxed);
        atomic_store_explicit(&node->next, first, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_relaxed,
                                                      memory_order_relaxed));
    below = first;
    return arg;
}
static void *cover(void *arg) {
    struct node *first = &bottom;
    atomic_compare_exchange_strong_explicit(&top, &first, &other, memory_order_relaxed,
                                            memory_order_relaxed);
    return arg;
}
static void *look(void *arg) {
    struct node *node = atomic_load_explicit(&top, memory_order_relaxed);
    if (node != &bottom && node != &other)
        found = atomic_load_explicit(&node->next, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, push, 0);
    pthread_create(&t[1], 0, cover, 0);
    pthread_create(&t[2], 0, look, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(!(found == &bottom && below == &other));
}
