// expect: rc11 verified executions=1
// expect: sc verified executions=1
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
static void assume(int cond) {
    if (!cond) { abort(); }
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    assume(n > 3);
    if (n == 2) reach_error();
    return 0;
}
