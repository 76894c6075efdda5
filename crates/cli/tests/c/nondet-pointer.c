// A pointer from outside is only trouble if it is followed.
// expect: sc verified
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
int x;
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    int *q = p ? &x : 0;
    if (q) *q = 1;
    assert(x == (p != 0));
}
