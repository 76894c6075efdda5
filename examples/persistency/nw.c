// Eight writes to eight cache lines, of which recovery reads four: 2^4 states, not 8 * 8! + 1 (thesis ch. 8).
//
// expect: weakest sc verified states=16
// expect: px86 tso verified states=16
// expect: strict sc verified states=5

#include <selvedge.h>
#include <stdatomic.h>

static struct {
    _Alignas(64) _Atomic int value;
} cells[8];

void __VERIFIER_recovery_routine(void)
{
    int sum = 0;
    for (int i = 0; i < 8; i += 2)
        sum += cells[i].value;
}

int main(void)
{
    selvedge_durable(cells, sizeof cells);
    for (int i = 0; i < 8; i++)
        atomic_store_explicit(&cells[i].value, 1, memory_order_relaxed);
    return 0;
}
