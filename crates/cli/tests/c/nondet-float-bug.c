// It may be no number.
// expect: sc violated assertion line=7
#include <assert.h>
double __VERIFIER_nondet_double(void);
int main(void) {
    double d = __VERIFIER_nondet_double();
    assert(d < 1 || d >= 1);
    return 0;
}
