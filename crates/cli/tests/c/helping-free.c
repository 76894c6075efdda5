// Whoever helps may be done, and free the object, before the one whose step it was comes to it.
// expect: sc violated use-after-free
// expect: rc11 violated use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct pair { atomic_int begun, done; };
static struct pair *p;
static void complete(void) {
    int none = 0;
    atomic_compare_exchange_strong_explicit(&p->done, &none, 1, memory_order_acq_rel, memory_order_acquire);
}
static void *owner(void *arg) {
    atomic_store_explicit(&p->begun, 1, memory_order_release);
    complete();
    return arg;
}
static void *helper(void *arg) {
    if (atomic_load_explicit(&p->begun, memory_order_acquire)) {
        complete();
        free(p);
    }
    return arg;
}
int main(void) {
    pthread_t t[2];
    p = malloc(sizeof *p);
    if (!p)
        abort();
    atomic_init(&p->begun, 0);
    atomic_init(&p->done, 0);
    pthread_create(&t[0], 0, owner, 0);
    pthread_create(&t[1], 0, helper, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
}
