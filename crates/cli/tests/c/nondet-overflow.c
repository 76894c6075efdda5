// expect: sc verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a > 0 && a < 1000000 && b > -1000 && b < 1000) {
        int c = a * b / 1000 + a - b;
        assert(c > -3000000);
    }
}
