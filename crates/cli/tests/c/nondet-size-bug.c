// expect: sc violated out-of-bounds line=8
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n <= 0) return 0;
    int *a = malloc(n * sizeof(int));
    a[1] = 1;
    free(a);
    return 0;
}
