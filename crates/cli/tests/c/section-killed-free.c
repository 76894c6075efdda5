// What a section frees that never happens is not freed.
// expect: sc unknown
// message: nothing was checked
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_assume(int);
int *p;
void __VERIFIER_atomic_never(void) {
    free(p);
    __VERIFIER_assume(0);
}
void *run(void *arg) {
    __VERIFIER_atomic_never();
    return arg;
}
int main(void) {
    p = malloc(sizeof *p);
    *p = 1;
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    return *p;
}
