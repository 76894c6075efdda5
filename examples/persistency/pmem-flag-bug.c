// As pmem-flag.c, but the record is not written back before the flag is set.
//
// expect: px86 tso violated recovery-assertion line=17

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
    store.valid = 1;
    _mm_clflush(&store.record);
    _mm_clflush(&store.valid);
    return 0;
}
