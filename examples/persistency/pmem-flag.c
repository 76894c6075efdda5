// A record and a flag that says it is there, in persistent memory: written back in order.
//
// expect: px86 tso verified states=2
// expect: epoch tso verified
// expect: weakest tso violated recovery-assertion

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>

static struct {
    _Alignas(64) long record;
    _Alignas(64) long valid;
} store;

void __VERIFIER_recovery_routine(void)
{
    if (store.valid)
        assert(store.record == 42);
}

int main(void)
{
    selvedge_durable(&store, sizeof store);
    store.record = 42;
    _mm_clflush(&store.record);
    _mm_sfence();
    store.valid = 1;
    _mm_clflush(&store.valid);
    return 0;
}
