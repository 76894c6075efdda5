// K42's lock: the lock is itself a node of its queue, so callers need none.
// expect: rc11 verified
// expect: imm verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct node { _Atomic(struct node *) tail, next; };
#define WAITING ((struct node *)1)
static struct node lock;
static int sum;
static int swap_if(_Atomic(struct node *) *at, struct node *is, struct node *to) {
    return atomic_compare_exchange_strong(at, &is, to);
}
static struct node *successor(struct node *of) {
    struct node *next;
    while (!(next = atomic_load_explicit(&of->next, memory_order_acquire))) ;
    return next;
}
static void take(void) {
    for (;;) {
        struct node *before = atomic_load_explicit(&lock.tail, memory_order_acquire);
        if (!before) {
            if (swap_if(&lock.tail, NULL, &lock)) return;
            continue;
        }
        struct node me = {WAITING, NULL};
        if (!swap_if(&lock.tail, before, &me)) continue;
        atomic_store_explicit(&before->next, &me, memory_order_release);
        while (atomic_load_explicit(&me.tail, memory_order_acquire) == WAITING) ;
        struct node *next = atomic_load_explicit(&me.next, memory_order_acquire);
        if (!next) {
            atomic_store_explicit(&lock.next, NULL, memory_order_relaxed);
            if (swap_if(&lock.tail, &me, &lock)) return;
            next = successor(&me);
        }
        atomic_store_explicit(&lock.next, next, memory_order_release);
        return;
    }
}
static void give(void) {
    if (!atomic_load_explicit(&lock.next, memory_order_acquire) && swap_if(&lock.tail, &lock, NULL)) return;
    atomic_store_explicit(&successor(&lock)->tail, NULL, memory_order_release);
}
static void *run(void *arg) {
    take();
    sum++;
    give();
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(sum == 3);
}
