// A lock made of a section that assumes that it is free.
// check: --no-race-detection
// expect: sc verified
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int held, count;
void __VERIFIER_atomic_acquire(void) {
    __VERIFIER_assume(held == 0);
    held = 1;
}
void __VERIFIER_atomic_release(void) {
    __VERIFIER_assume(held == 1);
    held = 0;
}
void *run(void *arg) {
    __VERIFIER_atomic_acquire();
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
