// expect: sc violated assertion line=8
#include <selvedge.h>
extern void __VERIFIER_assert(int);
extern _Bool __VERIFIER_nondet_bool(void);
int main(void) {
    int n = selvedge_choose(3);
    if (__VERIFIER_nondet_bool())
        __VERIFIER_assert(n < 2);
}
