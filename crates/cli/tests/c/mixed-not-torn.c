// A store of the whole is seen in both halves, or in none, by a load of the whole.
// expect: sc verified executions=2
// expect: tso verified executions=2
// expect: pso verified executions=2
// expect: ra verified executions=2
// expect: rc11 verified executions=2
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
    atomic_store_explicit(&u.whole, 0x10001, RLX);
    (void)atomic_load_explicit(&u.half.lo, RLX);
    return 0;
}
static void *two(void *arg) {
    b = atomic_load_explicit(&u.whole, RLX);
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(b == 0 || b == 0x10001);
}
