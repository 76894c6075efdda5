// The pointer is left there when what it points to is freed.
// expect: sc violated use-after-free line=22
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
