// A record is copied to persistent memory whole, with the mark that it is there. All of it is in one cache line, but a
// copy writes its words in any order.
//
// expect: px86 tso violated recovery-assertion line=19
// expect: epoch rc11 violated recovery-assertion line=19

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
}

int main(void)
{
    selvedge_durable(&record, sizeof record);
    struct record new = {42, 1};
    memcpy(&record, &new, sizeof record);
    return 0;
}
