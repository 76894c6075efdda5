// Read and written in two sections: a step gets lost, if it is not 0.
// expect: sc violated assertion
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned c;
void *step(void *arg) {
    unsigned by = __VERIFIER_nondet_uint(), old;
    __VERIFIER_atomic_begin();
    old = c;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    c = old + by;
    __VERIFIER_atomic_end();
    *(unsigned *)arg = by;
    return 0;
}
int main(void) {
    pthread_t a, b;
    unsigned x, y;
    pthread_create(&a, 0, step, &x);
    pthread_create(&b, 0, step, &y);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(c == x + y);
}
