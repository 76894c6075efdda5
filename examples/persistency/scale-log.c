// A write-ahead log of N records, each persistent before the next one is written, and one commit record, which
// recovery scans.
//
// expect: px86 tso verified states=22 --unroll 300

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>

#ifndef N
#define N 20
#endif

static struct {
    _Alignas(64) long committed;
    struct {
        _Alignas(64) long value;
    } records[N];
} store;

void __VERIFIER_recovery_routine(void)
{
    long n = 0;
    while (n < N && store.records[n].value == n + 1)
        n++;
    if (store.committed)
        assert(n == N);
}

int main(void)
{
    selvedge_durable(&store, sizeof store);
    for (long i = 0; i < N; i++) {
        store.records[i].value = i + 1;
        _mm_clflush(&store.records[i]);
        _mm_sfence();
    }
    store.committed = 1;
    _mm_clflush(&store.committed);
    return 0;
}
