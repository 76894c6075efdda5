// Nobody sets the flag: the loop waits for ever.
// expect: rc11 violated non-termination
#include <stdatomic.h>
void __VERIFIER_spin_start(void);
void __VERIFIER_spin_end();
atomic_int flag;
int main(void) {
    for (;;) {
        __VERIFIER_spin_start();
        if (flag) break;
        __VERIFIER_spin_end();
    }
    return 0;
}
