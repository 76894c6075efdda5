// Two writes to persistent memory, and a recovery that reads them in the other order (thesis §8.4, REC-WW+RR): may
// the second have persisted and the first not?
//
// expect: weakest sc violated recovery-assertion line=21
// expect: px86 tso violated recovery-assertion line=21
// expect: strict sc verified states=3

#include <assert.h>
#include <selvedge.h>
#include <stdatomic.h>

_Alignas(64) static struct {
    _Atomic int x;
    _Alignas(64) _Atomic int y;
} store;

void __VERIFIER_recovery_routine(void)
{
    int y = store.y;
    int x = store.x;
    assert(!(y == 1 && x == 0));
}

int main(void)
{
    selvedge_durable(&store, sizeof store);
    atomic_store_explicit(&store.x, 1, memory_order_relaxed);
    atomic_store_explicit(&store.y, 1, memory_order_relaxed);
    return 0;
}
