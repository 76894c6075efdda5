// Memory is filled with anything, and copied.
// expect: sc verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#include <string.h>
int a[6], b[6];
int main(void) {
    for (int i = 0; i < 6; i++) a[i] = __VERIFIER_nondet_int();
    memcpy(b, a, sizeof a);
    for (int i = 0; i < 6; i++) assert(a[i] == b[i]);
    a[3] = a[3] == 5 ? 6 : 5;
    assert(a[3] != b[3]);
}
