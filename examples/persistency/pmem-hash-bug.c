// As pmem-hash.c, but keys are written first.
//
// expect: px86 tso violated recovery-assertion

#include <assert.h>
#include <immintrin.h>
#include <selvedge.h>

#define SLOTS 4

static struct {
    _Alignas(64) long key;
    _Alignas(64) long value;
} table[SLOTS];

void __VERIFIER_recovery_routine(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (table[i].key)
            assert(table[i].value == 10 * table[i].key);
}

static void put(long key, long value)
{
    for (long i = 0, at = key % SLOTS; i < SLOTS; i++, at = (at + 1) % SLOTS)
        if (!table[at].key) {
            table[at].key = key;
            _mm_clflush(&table[at].key);
            _mm_sfence();
            table[at].value = value;
            _mm_clflush(&table[at].value);
            _mm_sfence();
            return;
        }
}

int main(void)
{
    selvedge_durable(table, sizeof table);
    put(1, 10);
    put(5, 50);
    return 0;
}
