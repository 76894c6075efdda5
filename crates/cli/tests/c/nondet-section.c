// A counter in atomic sections, with steps of unknown size.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
unsigned c, expected;
void *step(void *arg) {
    unsigned by = __VERIFIER_nondet_uint();
    __VERIFIER_atomic_begin();
    c += by;
    expected += by;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t a, b;
    c = expected = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, step, 0);
    pthread_create(&b, 0, step, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(c == expected);
}
