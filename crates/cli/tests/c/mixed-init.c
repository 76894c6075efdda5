// Plain accesses of any size before an object is published.
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef union {
    _Atomic uint64_t whole;
    struct {
        _Atomic uint32_t lo, hi;
    } half;
    uint8_t bytes[8];
} word;
static _Atomic(word *) shared;
static void *reads(void *arg) {
    word *w = atomic_load(&shared);
    if (!w) return 0;
    assert(atomic_load(&w->half.lo) == 0x01000000 && atomic_load(&w->whole) == 0x0000000101000000);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, reads, 0);
    word *w = malloc(sizeof *w);
    memset(w, 0, sizeof *w);
    w->bytes[3] = 1;
    *(uint32_t *)&w->bytes[4] = 1;
    atomic_store(&shared, w);
    pthread_join(t, 0);
    free(w);
}
