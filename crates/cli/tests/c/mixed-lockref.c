// Linux's lockref: a count that is changed together with a look at the lock beside it.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint64_t both;
    struct {
        _Atomic uint32_t lock, count;
    } part;
} ref;
static void *get(void *arg) {
    uint64_t old = atomic_load_explicit(&ref.both, memory_order_relaxed);
    while (!arg && !(uint32_t)old)
        if (atomic_compare_exchange_strong_explicit(&ref.both, &old, old + (1ull << 32), memory_order_acq_rel,
                                                    memory_order_relaxed))
            return 0;
    uint32_t free = 0;
    while (!atomic_compare_exchange_strong_explicit(&ref.part.lock, &free, 1, memory_order_acquire,
                                                    memory_order_relaxed))
        free = 0;
    uint32_t count = atomic_load_explicit(&ref.part.count, memory_order_relaxed);
    atomic_store_explicit(&ref.part.count, count + 1, memory_order_relaxed);
    atomic_store_explicit(&ref.part.lock, 0, memory_order_release);
    return 0;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, get, i ? &ref : 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(atomic_load(&ref.part.count) == 2);
}
