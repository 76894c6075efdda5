// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
#include <stdatomic.h>
atomic_uint c;
void *add(void *arg) { atomic_fetch_add(&c, (unsigned)(unsigned long)arg); return 0; }
int main(void) {
    pthread_t a, b;
    unsigned n = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, add, (void *)(unsigned long)n);
    pthread_create(&b, 0, add, (void *)(unsigned long)k);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(c == n + k);
}
