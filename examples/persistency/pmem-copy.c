// A record is copied to persistent memory, and marked after that: in one cache line, writes persist in their order.
//
// expect: px86 tso verified states=5

#include <assert.h>
#include <selvedge.h>
#include <string.h>

struct record {
    long value, valid;
};
_Alignas(64) struct record record;

void __VERIFIER_recovery_routine(void)
{
    if (record.valid)
        assert(record.value == 42);
    else
        assert(record.value == 0 || record.value == 42);
}

int main(void)
{
    selvedge_durable(&record, sizeof record);
    struct record new = {42, 0};
    memcpy(&record, &new, sizeof record);
    record.valid = 1;
    return 0;
}
