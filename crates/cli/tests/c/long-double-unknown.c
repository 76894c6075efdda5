// Nothing is known of numbers of 80 bits that come from outside, and nothing is decided by them.
// expect: rc11 unknown
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    long double number = __VERIFIER_nondet_int();
    assert(number + 1 > number);
}
