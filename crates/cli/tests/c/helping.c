// Whoever sees that the tail of Michael and Scott's queue lags behind moves it on. What counts is the
// order of the nodes, not who did.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { _Atomic(struct node *) next; };
static struct node dummy;
static _Atomic(struct node *) tail = &dummy;
static void swing(struct node *last, struct node *next) {
    atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_acq_rel, memory_order_relaxed);
}
static void *enqueue(void *arg) {
    struct node *node = malloc(sizeof *node);
    if (!node)
        abort();
    atomic_init(&node->next, 0);
    for (;;) {
        struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
        struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
        if (next) {
            selvedge_helping(swing(last, next));
            continue;
        }
        if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release,
                                                    memory_order_relaxed)) {
            swing(last, node);
            return arg;
        }
    }
}
int main(void) {
    pthread_t t[3];
    int which[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, enqueue, &which[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
