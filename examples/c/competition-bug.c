// A program as verification competitions have them: inputs of any value, atomic sections, and functions of the program's
// own for errors and assumptions. Two threads add to one number what a third adds to another, but one of them reads and
// writes in two steps: what the other one adds in between is lost.
//
// source: the conventions of SV-COMP for concurrent programs
// expect: sc violated assertion
#include <pthread.h>

extern void abort(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

void reach_error(void) {}
void assume_abort_if_not(int cond) {
    if (!cond) abort();
}

unsigned x, y, n, m;

void *add_n(void *arg) {
    __VERIFIER_atomic_begin();
    unsigned before = x;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    x = before + n;
    __VERIFIER_atomic_end();
    return 0;
}

void *add_m(void *arg) {
    __VERIFIER_atomic_begin();
    x = x + m;
    __VERIFIER_atomic_end();
    return 0;
}

void *add_both(void *arg) {
    __VERIFIER_atomic_begin();
    y = y + m;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    y = y + n;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t one, other, both;
    n = __VERIFIER_nondet_uint();
    m = __VERIFIER_nondet_uint();
    x = __VERIFIER_nondet_uint();
    y = __VERIFIER_nondet_uint();
    assume_abort_if_not(x == y);
    pthread_create(&one, 0, add_n, 0);
    pthread_create(&other, 0, add_m, 0);
    pthread_create(&both, 0, add_both, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    pthread_join(both, 0);
    assume_abort_if_not(x != y);
    reach_error();
    return 0;
}
