// expect: sc violated assertion
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int a[3], max;
int main(void) {
    for (int i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 3; i++) if (a[i] > max) max = a[i];
    for (int i = 0; i < 3; i++) assert(max == a[0] || max == a[1] || max == a[2]);
}
