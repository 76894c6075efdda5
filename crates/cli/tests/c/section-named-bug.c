// The same increment under another name.
// check: --no-race-detection
// expect: sc violated assertion line=21
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void __VERIFIER_atomically_inc(void) { x++; }
void *run(void *arg) {
    __VERIFIER_atomically_inc();
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x != 2) reach_error();
}
