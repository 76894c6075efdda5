// The same with a section around every access that may conflict, and an atomic one that needs none.
// check: --errors data-race
// expect: sc verified
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y, z;
void *run(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    y = 1;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    __VERIFIER_atomic_begin();
    z = x;
    __VERIFIER_atomic_end();
    __atomic_load_n(&y, __ATOMIC_RELAXED);
    pthread_join(a, 0);
}
