// expect: sc verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#include <stdio.h>
int main(void) {
    int n = __VERIFIER_nondet_int();
    printf("%d\n", n);
    assert(n == n);
}
