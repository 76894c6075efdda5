// expect: sc verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), r;
    switch (n % 4) {
    case 0: r = 0; break;
    case 1: case 2: case 3: r = 1; break;
    default: r = -1;
    }
    assert((r < 0) == (n < 0 && n % 4 != 0));
}
