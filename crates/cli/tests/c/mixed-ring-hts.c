// The head of DPDK's ring in HTS mode: position and tail are compared and exchanged together, the tail is
// moved on by itself.
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint64_t raw;
    struct {
        _Atomic uint32_t head, tail;
    } pos;
} ring;
static int slots[4];
static void *enqueue(void *arg) {
    uint64_t old = atomic_load_explicit(&ring.raw, memory_order_acquire);
    uint32_t head;
    do {
        while ((uint32_t)old != (uint32_t)(old >> 32))
            old = atomic_load_explicit(&ring.raw, memory_order_acquire);
        head = (uint32_t)old;
    } while (!atomic_compare_exchange_strong_explicit(&ring.raw, &old, old + 1, memory_order_acquire,
                                                      memory_order_acquire));
    slots[head] = 1 + head;
    atomic_store_explicit(&ring.pos.tail, head + 1, memory_order_release);
    return 0;
}
static void *dequeue(void *arg) {
    uint32_t tail = atomic_load_explicit(&ring.pos.tail, memory_order_acquire);
    for (uint32_t i = 0; i < tail; i++) assert(slots[i] == (int)i + 1);
    return 0;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, enqueue, 0);
    pthread_create(&t[1], 0, enqueue, 0);
    pthread_create(&t[2], 0, dequeue, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(atomic_load(&ring.pos.tail) == 2 && atomic_load(&ring.raw) == 0x200000002);
}
