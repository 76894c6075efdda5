// Two levels of MCS locks; what is handed on to a neighbour is no release.
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) next; atomic_uint status; };
struct level { _Atomic(struct node *) tail; struct node node; };
enum { LOCKED = 1, COHORT = 2, LAST = 3, PARENT = 100, WAIT = 200 };
static _Atomic(struct node *) root;
static struct level level[2];
static struct node nodes[3];
static int sum;
static unsigned enter(_Atomic(struct node *) *tail, struct node *me) {
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->status, WAIT, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(tail, me, memory_order_acq_rel);
    if (!before) return 0;
    atomic_store_explicit(&before->next, me, memory_order_release);
    unsigned status;
    while ((status = atomic_load_explicit(&me->status, memory_order_acquire)) == WAIT) ;
    return status;
}
static void leave(_Atomic(struct node *) *tail, struct node *me, unsigned status) {
    struct node *next = atomic_load_explicit(&me->next, memory_order_acquire), *is = me;
    if (!next && atomic_compare_exchange_strong_explicit(tail, &is, NULL, memory_order_release, memory_order_relaxed))
        return;
    while (!(next = atomic_load_explicit(&me->next, memory_order_acquire))) ;
    atomic_store_explicit(&next->status, status, memory_order_release);
}
static void *run(void *arg) {
    struct node *me = arg;
    struct level *mine = &level[(me - nodes) & 1];
    unsigned status = enter(&mine->tail, me);
    if (status == 0 || status == PARENT) {
        atomic_store_explicit(&me->status, COHORT, memory_order_relaxed);
        enter(&root, &mine->node);
    }
    sum++;
    unsigned count = atomic_load_explicit(&me->status, memory_order_relaxed);
    struct node *next = count < LAST ? atomic_load_explicit(&me->next, memory_order_acquire) : NULL;
    if (next) {
        atomic_store_explicit(&next->status, count + 1, memory_order_relaxed);
        return 0;
    }
    leave(&root, &mine->node, LOCKED);
    leave(&mine->tail, me, PARENT);
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, &nodes[i]);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(sum == 3);
}
