// Floats are compared by their bits, numbers and what is none; conversions that do not round are exact.
// expect: sc verified
#include <assert.h>
#include <math.h>
double __VERIFIER_nondet_double(void);
float __VERIFIER_nondet_float(void);
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main(void) {
    double d = __VERIFIER_nondet_double();
    __VERIFIER_assume(d > 1.5 && d < 1e9);
    assert(d != 0 && -d < -1.5 && fabs(-d) == d);
    float f = __VERIFIER_nondet_float();
    if (f > 0.1) assert(f >= 0.1f);
    if (f != f) assert(!(f < 1) && !(f >= 1));
    int n = __VERIFIER_nondet_int();
    double e = n;
    if (n < 0) assert(e <= -1.0);
    if (e > 2.5) assert(n >= 3);
    return 0;
}
