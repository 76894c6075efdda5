// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
#include <stdatomic.h>
atomic_uint c;
void *add(void *arg) {
    unsigned old = atomic_load(&c);
    while (!atomic_compare_exchange_strong(&c, &old, old + 1)) ;
    return 0;
}
int main(void) {
    pthread_t a, b;
    unsigned n = __VERIFIER_nondet_uint();
    __VERIFIER_assume(n < 3);
    c = n;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(c == n + 2);
}
