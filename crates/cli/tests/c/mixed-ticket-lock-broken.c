// A ticket lock in one word: taking a ticket is an addition to the whole of it, waiting and giving back are
// about one half. The store that gives it back does not release.
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint32_t whole;
    struct {
        _Atomic uint16_t position, next;
    } half;
} lock;
static int x;
static void acquire(void) {
    uint32_t ticket = atomic_fetch_add_explicit(&lock.whole, 1u << 16, memory_order_acquire);
    uint16_t mine = ticket >> 16;
    if ((uint16_t)ticket == mine) return;
    while (atomic_load_explicit(&lock.half.position, memory_order_acquire) != mine)
        ;
}
static int try(void) {
    uint32_t now = atomic_load_explicit(&lock.whole, memory_order_relaxed);
    if (now >> 16 != (now & 0xffff)) return 0;
    return atomic_compare_exchange_strong_explicit(&lock.whole, &now, now + (1u << 16), memory_order_acquire,
                                                   memory_order_relaxed);
}
static void release(void) {
    uint16_t now = atomic_load_explicit(&lock.half.position, memory_order_relaxed);
    atomic_store_explicit(&lock.half.position, now + 1, memory_order_relaxed);
}
static void *thread(void *arg) {
    acquire();
    x++;
    release();
    return 0;
}
static void *tries(void *arg) {
    if (try()) {
        x++;
        release();
    }
    return 0;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, thread, 0);
    pthread_create(&t[1], 0, thread, 0);
    pthread_create(&t[2], 0, tries, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(x == 2 || x == 3);
}
