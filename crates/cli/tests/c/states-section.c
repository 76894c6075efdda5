// An atomic section is one step of others, too: nobody sees what is in between, nothing races with it, and one
// in which an assumption does not hold does not happen.
// check: --engine states
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
static atomic_int x, y, never;
static int plain;
static void *write(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    plain = 1;
    x = 2;
    __VERIFIER_atomic_end();
    return arg;
}
static void *give_up(void *arg) {
    __VERIFIER_atomic_begin();
    y = 1;
    __VERIFIER_assume(never);
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, write, 0);
    if (plain) pthread_create(&b, 0, give_up, 0);
    assert(x != 1 && y == 0);
    pthread_join(a, 0);
}
