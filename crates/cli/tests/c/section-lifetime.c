// Others see the pointer before the section or after it, not within.
// expect: sc verified
#include <pthread.h>
#include <stdlib.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int always;
int *_Atomic p = &always;
void *run(void *arg) {
    int *q = malloc(sizeof *q);
    *q = 1;
    __VERIFIER_atomic_begin();
    p = q;
    p = &always;
    __VERIFIER_atomic_end();
    free(q);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    int seen = *p;
    pthread_join(a, 0);
    return seen;
}
