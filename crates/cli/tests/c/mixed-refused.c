// Models that follow dependencies have no meaning for atomic accesses of different sizes: they are refused.
// expect: armv8 unknown
// message: under the model `armv8`
#include <stdatomic.h>
#include <stdint.h>
static union {
    _Atomic uint32_t whole;
    _Atomic uint16_t half[2];
} u;
int main(void)
{
    atomic_store(&u.whole, 1);
    return atomic_load(&u.half[0]) != 1;
}
