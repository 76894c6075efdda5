// The link of a node is stored atomically before anybody knows the node: what counts is the order of
// the pushes.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int value; _Atomic(struct node *) next; };
static _Atomic(struct node *) top;
static void *push(void *arg) {
    struct node *node = malloc(sizeof *node), *first;
    if (!node)
        abort();
    node->value = arg != 0;
    do {
        first = atomic_load_explicit(&top, memory_order_acquire);
        atomic_store_explicit(&node->next, first, memory_order_relaxed);
    } while (!atomic_compare_exchange_strong_explicit(&top, &first, node, memory_order_acq_rel,
                                                      memory_order_relaxed));
    return 0;
}
int main(void) {
    pthread_t t[3];
    int which[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, push, &which[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
