// A link that nobody has set is read and stored: what the store would be was issued before that was known.
// check: --engine states --no-race-detection
// expect: tso violated uninitialised-read
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top, found;
static void *push(void *arg) {
    struct node *node = malloc(sizeof *node);
    node->value = 1;
    atomic_store(&top, node);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, push, 0);
    struct node *node = atomic_load(&top);
    if (node) atomic_store_explicit(&found, node->next, memory_order_relaxed);
    pthread_join(thread, 0);
}
