// As pmem-flag.c, with the instructions in inline assembly, in the forms that libraries have them in.
//
// expect: px86 tso verified states=8

#include <assert.h>
#include <selvedge.h>

static struct {
    _Alignas(64) long record;
} a, b, c;
static struct {
    _Alignas(64) long valid;
} done[3];

void __VERIFIER_recovery_routine(void)
{
    if (done[0].valid)
        assert(a.record == 1);
    if (done[1].valid)
        assert(b.record == 2);
    if (done[2].valid)
        assert(c.record == 3);
}

int main(void)
{
    selvedge_durable(&a, sizeof a);
    selvedge_durable(&b, sizeof b);
    selvedge_durable(&c, sizeof c);
    selvedge_durable(done, sizeof done);
    a.record = 1;
    __asm__ volatile("clflush %0" : "+m"(*(volatile char *)&a));
    done[0].valid = 1;
    b.record = 2;
    __asm__ volatile(".byte 0x66; clflush %0" : "+m"(*(volatile char *)&b));
    __asm__ volatile("sfence" ::: "memory");
    done[1].valid = 1;
    c.record = 3;
    __asm__ volatile(".byte 0x66; xsaveopt %0" : "+m"(*(volatile char *)&c));
    __asm__ volatile("mfence" ::: "memory");
    done[2].valid = 1;
    return 0;
}
