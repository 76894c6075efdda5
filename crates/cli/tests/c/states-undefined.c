// Links that nobody has set are followed: a store was issued before it was known that what it depends on has no
// value.
// check: --engine states --no-race-detection
// expect: tso violated uninitialised-read
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
    int value;
    struct node *next;
    _Atomic(struct node *) link;
};
static _Atomic(struct node *) top;
static int found[2];
static void *push(void *linked) {
    struct node *node = malloc(sizeof *node), *old = atomic_load_explicit(&top, memory_order_relaxed);
    node->value = 2;
    do {
        if (linked) atomic_store_explicit(&node->link, old, memory_order_relaxed);
        else node->next = old;
    } while (!atomic_compare_exchange_strong(&top, &old, node));
    return 0;
}
static void *pop(void *arg) {
    struct node *node = atomic_load(&top);
    while (node && !atomic_compare_exchange_strong(&top, &node, node->next)) {}
    if (node) found[0] = node->value;
    node = atomic_load(&top);
    if (node) found[1] = node->value;
    return arg;
}
int main(void) {
    pthread_t threads[3];
    pthread_create(&threads[0], 0, push, 0);
    pthread_create(&threads[1], 0, pop, 0);
    pthread_create(&threads[2], 0, push, threads);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}
