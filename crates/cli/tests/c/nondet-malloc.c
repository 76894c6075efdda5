// expect: sc verified
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n > 0 && n < 6);
    int *p = malloc(n * sizeof *p);
    for (int i = 0; i < n; i++) p[i] = __VERIFIER_nondet_int();
    int last = p[n - 1];
    p[0] = 3;
    assert(n == 1 || last == p[n - 1]);
    free(p);
}
