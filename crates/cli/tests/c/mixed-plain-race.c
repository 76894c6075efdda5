// But it is one with an atomic store to the whole.
// expect: sc violated data-race
// expect: rc11 violated data-race
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
    atomic_store_explicit(&u.whole, 1, RLX);
    return 0;
}
static void *two(void *arg) {
    *(uint16_t *)((char *)&u + 2) = 1;
    return 0;
}
int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(1);
}
