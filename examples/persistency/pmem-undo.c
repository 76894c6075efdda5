// Recovery that writes, and may crash as well: two accounts are changed under an undo log, which recovery plays back.
//
// expect: px86 tso verified
// expect: px86 tso verified --crashes 2

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>

static struct {
    _Alignas(64) long from;
    _Alignas(64) long to;
    _Alignas(64) struct {
        long from, to;
    } old;
    _Alignas(64) long active;
} store;

static void persist(void *at)
{
    _mm_clflush(at);
    _mm_sfence();
}

void __VERIFIER_recovery_routine(void)
{
    if (store.active) {
        store.from = store.old.from;
        store.to = store.old.to;
        persist(&store.from);
        persist(&store.to);
        store.active = 0;
        persist(&store.active);
    }
    assert(store.from + store.to == 100);
}

int main(void)
{
    selvedge_durable(&store, sizeof store);
    store.from = 100;
    __VERIFIER_pbarrier();
    store.old.from = store.from;
    store.old.to = store.to;
    persist(&store.old);
    store.active = 1;
    persist(&store.active);
    store.from -= 30;
    store.to += 30;
    persist(&store.from);
    persist(&store.to);
    store.active = 0;
    persist(&store.active);
    return 0;
}
