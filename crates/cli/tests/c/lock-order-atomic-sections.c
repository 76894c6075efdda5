// Atomic sections on data of their own: one execution; those with something in common are ordered.
// expect: sc verified executions=2
#include <assert.h>
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static int x[3], y;
static void *alone(void *arg) {
    for (int k = 0; k < 3; k++) {
        __VERIFIER_atomic_begin();
        x[(long)arg]++;
        __VERIFIER_atomic_end();
    }
    return NULL;
}
static void *together(void *arg) {
    __VERIFIER_atomic_begin();
    y++;
    y++;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t t[5];
    for (long i = 0; i < 5; i++) pthread_create(&t[i], NULL, i < 3 ? alone : together, (void *)i);
    for (int i = 0; i < 5; i++) pthread_join(t[i], NULL);
    assert(x[0] + x[1] + x[2] == 9 && y == 4);
}
