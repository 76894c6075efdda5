// All that goes on for ever is kept apart by tickets, and every execution that ends does so at an assumption.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>
extern void abort(void);
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
void reach_error(void) {}
void assume_abort_if_not(int cond) {
    if (!cond) abort();
}
static unsigned char next, serving;
static int inside;
static void *turn(void *arg) {
    while (__VERIFIER_nondet_bool()) {
        __VERIFIER_atomic_begin();
        unsigned char mine = next;
        next = (next + 1) % 4;
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin();
        assume_abort_if_not(mine == serving);
        inside++;
        __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin();
        if (inside != 1) reach_error();
        inside--;
        serving = (serving + 1) % 4;
        __VERIFIER_atomic_end();
    }
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, turn, 0);
    pthread_create(&two, 0, turn, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assume_abort_if_not(inside != 0);
    reach_error();
    return 0;
}
