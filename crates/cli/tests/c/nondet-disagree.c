// Two threads decide by the same number: they never decide differently.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int n, a_says, b_says;
void *a(void *arg) { a_says = n > 10 ? 1 : 2; return 0; }
void *b(void *arg) { b_says = n > 10 ? 1 : 2; return 0; }
int main(void) {
    pthread_t s, t;
    n = __VERIFIER_nondet_int();
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    assert(a_says == b_says);
}
