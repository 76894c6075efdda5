// Sixteen bytes are written by one instruction, which no other thread sees half of; a crash may leave half of them.
//
// expect: px86 tso violated recovery-assertion line=16
// expect: weakest rc11 violated recovery-assertion line=16

#include <assert.h>
#include <selvedge.h>
#include <stdatomic.h>

_Alignas(64) _Atomic __int128 pair;

void __VERIFIER_recovery_routine(void)
{
    long *halves = (long *)&pair;
    long low = halves[0], high = halves[1];
    assert(low == high);
}

int main(void)
{
    selvedge_durable(&pair, sizeof pair);
    atomic_store_explicit(&pair, ((__int128)1 << 64) + 1, memory_order_relaxed);
    return 0;
}
