// Accesses in sections race with nothing; those outside race with each other as ever.
// expect: sc violated data-race
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y;
void *run(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    __VERIFIER_atomic_end();
    y = 1;
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    x = 2;
    y = 2;
    pthread_join(a, 0);
}
