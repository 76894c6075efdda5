// 16 bytes at once, and halves of them: a stack's head with a counter.
// expect: sc verified
// expect: rc11 verified
// args: -mcx16
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
typedef struct {
    long top, count;
} head;
union {
    _Atomic __int128 whole;
    struct {
        _Atomic long top, count;
    } half;
} u;
static void *push(void *arg) {
    __int128 old = atomic_load(&u.whole), new;
    do
        new = ((old >> 64) + 1) << 64 | (long)arg;
    while (!atomic_compare_exchange_strong(&u.whole, &old, new));
    return 0;
}
static void *look(void *arg) {
    long count = atomic_load(&u.half.count), top = atomic_load(&u.half.top);
    assert(count == 0 || top != 0);
    return 0;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], 0, push, (void *)1);
    pthread_create(&t[1], 0, push, (void *)2);
    pthread_create(&t[2], 0, look, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(atomic_load(&u.half.count) == 2);
    assert(atomic_load(&u.half.top) == 1 || atomic_load(&u.half.top) == 2);
}
