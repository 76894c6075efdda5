// Two stores of halves, in order: who reads the whole sees them in order, if the second one releases.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint32_t whole;
    struct {
        _Atomic uint16_t lo, hi;
    } half;
} u;
static uint32_t a, b;
#define RLX memory_order_relaxed
static void *one(void *arg) {
    atomic_store_explicit(&u.half.lo, 1, RLX);
    atomic_store_explicit(&u.half.hi, 1, memory_order_release);
    return 0;
}
static void *two(void *arg) {
    b = atomic_load_explicit(&u.whole, memory_order_acquire);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(b != 0x10000);
}
