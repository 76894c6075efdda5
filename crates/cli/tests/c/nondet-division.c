// expect: sc verified
#include <assert.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), d = __VERIFIER_nondet_uint();
    if (d == 0) return 0;
    unsigned short s = __VERIFIER_nondet_ushort();
    unsigned q = s / (d % 7 + 1), r = s % (d % 7 + 1);
    assert(q * (d % 7 + 1) + r == s && r <= 6);
}
