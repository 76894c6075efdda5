// A section that an assumption ends never happens, but what comes before it does.
// expect: sc violated assertion line=20
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void __VERIFIER_atomic_never(void) {
    x = 1;
    __VERIFIER_assume(0);
}
void *run(void *arg) {
    __VERIFIER_atomic_never();
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    reach_error();
}
