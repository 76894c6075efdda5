// Atomic accesses of different sizes to one word.
// expect: sc verified executions=1
// expect: tso verified executions=1
// expect: rc11 verified executions=1
#include <assert.h>
#include <stdatomic.h>
union {
    _Atomic unsigned whole;
    struct {
        _Atomic unsigned short lo, hi;
    } half;
    _Atomic unsigned char byte[4];
} u;
int main(void) {
    atomic_store(&u.whole, 0x00010002);
    assert(atomic_load(&u.half.lo) == 2 && atomic_load(&u.half.hi) == 1);
    atomic_fetch_add(&u.whole, 0xffff);
    assert(atomic_load(&u.whole) == 0x00020001);
    assert(atomic_exchange(&u.half.hi, 7) == 2);
    atomic_store(&u.byte[1], 3);
    unsigned expected = 0x00070301;
    assert(atomic_compare_exchange_strong(&u.whole, &expected, 5));
    assert(!atomic_compare_exchange_strong(&u.whole, &expected, 6) && expected == 5);
    assert(atomic_load(&u.byte[0]) == 5);
}
