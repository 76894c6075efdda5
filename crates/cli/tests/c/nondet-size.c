// Of an array that may be of any size, small ones are tried.
// expect: sc bounded
#include <assert.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0) return 0;
    int *a = malloc(n * sizeof(int));
    a[0] = 1;
    assert(a[0] == 1);
    free(a);
    return 0;
}
