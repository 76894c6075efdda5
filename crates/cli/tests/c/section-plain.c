// An atomic section excludes every other access, not only other sections.
// expect: sc verified
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;
void *write(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    x = 0;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, write, 0);
    if (x != 0) reach_error();
    pthread_join(t, 0);
}
