// The same as instructions.
// expect: rc11 verified executions=1
// args: -mcx16
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
typedef unsigned __int128 wide;
_Alignas(16) wide plain = 3;
_Atomic wide x = ((wide)7 << 64) | 1;
struct odd { int a; char b; };
_Atomic struct odd padded;
int main(void) {
    wide seven = (wide)7 << 64;
    assert(x == (seven | 1));
    assert(atomic_fetch_add(&x, ~(wide)0) == (seven | 1) && x == seven);
    assert(atomic_exchange(&x, 5) == seven);
    wide expected = 6;
    assert(!atomic_compare_exchange_strong(&x, &expected, 9) && expected == 5);
    assert(atomic_compare_exchange_strong(&x, &expected, seven) && x == seven);
    assert(__atomic_load_n(&plain, __ATOMIC_ACQUIRE) == 3);
    wide value = 4, result;
    __atomic_store(&plain, &value, __ATOMIC_RELEASE);
    __atomic_load(&plain, &result, __ATOMIC_SEQ_CST);
    assert(result == 4);
    value = 8;
    __atomic_exchange(&plain, &value, &result, __ATOMIC_ACQ_REL);
    assert(result == 4);
    assert(__atomic_compare_exchange(&plain, &value, &result, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    assert(plain == 4);
    assert(__sync_bool_compare_and_swap(&plain, 4, seven) && plain == seven);
    struct odd one = {1, 2}, two = {3, 4};
    atomic_store(&padded, one);
    assert(atomic_compare_exchange_strong(&padded, &one, two));
    assert(atomic_load(&padded).a == 3);
}
