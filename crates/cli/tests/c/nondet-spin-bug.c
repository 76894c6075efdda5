// expect: sc violated non-termination
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
#include <stdatomic.h>
atomic_int turn;
void *set(void *arg) { atomic_store(&turn, 1); return 0; }
int main(void) {
    pthread_t t;
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 3);
    pthread_create(&t, 0, set, 0);
    while (atomic_load(&turn) != n) ;
    pthread_join(t, 0);
}
