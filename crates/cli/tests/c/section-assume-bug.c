// Where looking and taking are two steps, two threads get it.
// check: --no-race-detection
// expect: sc violated assertion line=21
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int held, count;
void acquire(void) {
    __VERIFIER_assume(held == 0);
    held = 1;
}
void __VERIFIER_atomic_release(void) {
    __VERIFIER_assume(held == 1);
    held = 0;
}
void *run(void *arg) {
    acquire();
    int seen = ++count;
    if (seen != 1) reach_error();
    count--;
    __VERIFIER_atomic_release();
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    run(0);
}
