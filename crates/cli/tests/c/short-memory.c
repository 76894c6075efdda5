// With pointers of 32 bits: addresses that are taken apart, put together, hashed, compared, sorted and exchanged.
// args: -m32
// expect: sc verified
// expect: tso verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct link { uintptr_t both; int value; };
struct __attribute__((packed)) odd { char c; int *p; };
union word { int *p; unsigned n; unsigned char bytes[4]; };

static int cells[8];
static _Atomic(int *) slot;
static _Atomic(void *) head;
static _Atomic(int *) seen;

static int by_address(const void *a, const void *b) {
    int *const *x = a, *const *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void *swap(void *arg) {
    int *mine = &cells[(int)arg];
    int *old = atomic_exchange(&slot, mine);
    assert(old == 0 || (old >= cells && old < cells + 8));
    int *expected = mine;
    if (atomic_compare_exchange_strong(&slot, &expected, &cells[7])) seen = mine;
    return old;
}

int main(void) {
    // Byte by byte.
    int *p = &cells[3], *q = 0;
    unsigned char bytes[sizeof p];
    memcpy(bytes, &p, sizeof p);
    for (unsigned i = 0; i < sizeof p; i++) ((unsigned char *)&q)[i] = bytes[i];
    assert(q == p && sizeof bytes == 4);
    union word w = {.p = p};
    w.n += 4;
    assert(w.p == &cells[4] && (w.bytes[0] & 3) == 0);
    struct odd o = {'c', p};
    struct odd copy = o;
    assert(sizeof o == 5 && *copy.p == 0 && copy.p == p);
    // A list linked by exclusive or.
    struct link a = {0, 1}, b = {0, 2}, c = {0, 3};
    a.both = (uintptr_t)&b;
    b.both = (uintptr_t)&a ^ (uintptr_t)&c;
    c.both = (uintptr_t)&b;
    int sum = 0;
    uintptr_t before = 0;
    for (struct link *at = &a; at;) {
        struct link *next = (struct link *)(at->both ^ before);
        sum += at->value;
        before = (uintptr_t)at;
        at = next;
    }
    assert(sum == 6);
    int *order[3] = {&cells[2], &cells[0], &cells[1]};
    qsort(order, 3, sizeof order[0], by_address);
    assert(order[0] == cells && order[1] == cells + 1 && order[2] == cells + 2);
    int **grown = malloc(2 * sizeof *grown);
    grown[0] = p;
    grown[1] = 0;
    grown = realloc(grown, 100 * sizeof *grown);
    assert(grown[0] == p && !grown[1]);
    free(grown);
    assert((int)(void *)0x7fff1234 == 0x7fff1234 && (void *)(long)-12 == (void *)-12);
    // Aligned, and different, whatever the objects are.
    void *x = malloc(1), *y = malloc(1);
    assert(x != y && ((uintptr_t)x & 7) == 0 && ((uintptr_t)x >> 4) % 64 < 64);
    free(x);
    free(y);
    pthread_t t[2];
    void *result[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, swap, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(t[i], &result[i]);
    assert(atomic_load(&slot) == &cells[7] || atomic_load(&slot) == &cells[1] || atomic_load(&slot) == &cells[0]);
    assert(atomic_load(&seen) == &cells[0] || atomic_load(&seen) == &cells[1]);
    atomic_store(&head, &head);
    assert(atomic_load(&head) == (void *)&head);
    return 0;
}
