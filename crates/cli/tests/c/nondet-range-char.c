// All numbers of the type are in the range.
// expect: sc verified
// check: --nondet-range -200..300
#include <assert.h>
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) {
    unsigned char c = __VERIFIER_nondet_uchar();
    assert((unsigned char)(c + 1) != c);
}
