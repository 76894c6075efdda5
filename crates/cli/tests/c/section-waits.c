// A section that waits is not one step.
// expect: sc unknown
// message: section-waits.c:13: not supported: a thread waits inside of an atomic section
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
void *inside(void *arg) {
    __VERIFIER_atomic_begin();
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    __VERIFIER_atomic_end();
    return arg;
}
void *outside(void *arg) {
    pthread_mutex_lock(&m);
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, inside, 0);
    pthread_create(&b, 0, outside, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
