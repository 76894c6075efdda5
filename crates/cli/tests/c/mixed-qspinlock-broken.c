// Linux's queued spin lock without its queue: a byte says that it is taken, a byte that somebody is next.
// Giving it back is a store of one byte. The one who is next forgets to say that it has it.
// expect: sc violated data-race
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint32_t value;
    struct {
        _Atomic uint8_t locked, pending;
        _Atomic uint16_t tail;
    } part;
    _Atomic uint16_t locked_pending;
} lock;
static int x;
#define LOCKED 1u
#define PENDING 0x100u
static int acquire(void) {
    uint32_t seen = 0;
    if (atomic_compare_exchange_strong_explicit(&lock.value, &seen, LOCKED, memory_order_acquire,
                                                memory_order_relaxed))
        return 1;
    seen = atomic_fetch_or_explicit(&lock.value, PENDING, memory_order_acquire);
    if (seen & ~LOCKED) {
        // Here it would queue up.
        if (!(seen & PENDING)) atomic_store_explicit(&lock.part.pending, 0, memory_order_relaxed);
        return 0;
    }
    while (atomic_load_explicit(&lock.part.locked, memory_order_acquire))
        ;
    atomic_store_explicit(&lock.part.pending, 0, memory_order_relaxed);
    return 1;
}
static void release(void) { atomic_store_explicit(&lock.part.locked, 0, memory_order_release); }
static void *thread(void *arg) {
    if (acquire()) {
        x++;
        release();
    }
    return 0;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(x >= 2 && atomic_load(&lock.value) == 0);
}
