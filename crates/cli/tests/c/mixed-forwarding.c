// Each thread writes a half and reads the whole: it finds its own half in its store buffer, and the other
// half in memory.
// expect: sc verified
// expect: tso violated assertion
// expect: rc11 violated assertion
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
    a = atomic_load_explicit(&u.whole, RLX);
    return 0;
}
static void *two(void *arg) {
    atomic_store_explicit(&u.half.hi, 1, RLX);
    b = atomic_load_explicit(&u.whole, RLX);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(a == 0x10001 || b == 0x10001);
}
