// The step is taken back, so the owner may complete it for the second time.
// expect: sc violated assertion
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int begun, complete, count;
static int plain;
static void *owner(void *arg) {
    int old = 0;
    atomic_store_explicit(&begun, 1, memory_order_release);
    atomic_compare_exchange_strong_explicit(&complete, &old, 1, memory_order_acq_rel, memory_order_relaxed);
    return arg;
}
static void *helper(void *arg) {
    for (;;) {
        int old = atomic_load_explicit(&complete, memory_order_acquire);
        int now = atomic_load_explicit(&begun, memory_order_acquire);
        if (old != now) {
            atomic_compare_exchange_strong_explicit(&complete, &old, now,
                                                    memory_order_acq_rel, memory_order_relaxed);
            old = 1;
            if (!count && atomic_compare_exchange_strong(&complete, &old, 0))
                count = 1;
            continue;
        }
        if (now)
            return arg;
    }
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, owner, 0);
    pthread_create(&t[1], 0, helper, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(!count || complete == 0);
}
