// Each is told a number of its own: they may differ.
// expect: sc violated assertion
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int a_says, b_says;
void *a(void *arg) { a_says = __VERIFIER_nondet_int() > 10; return 0; }
void *b(void *arg) { b_says = __VERIFIER_nondet_int() > 10; return 0; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a_says == b_says);
}
