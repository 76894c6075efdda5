// Somebody waits for a number that is not known.
// expect: sc verified
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
#include <stdatomic.h>
atomic_int turn;
int n;
void *set(void *arg) { atomic_store(&turn, n); return 0; }
int main(void) {
    pthread_t t;
    n = __VERIFIER_nondet_int();
    pthread_create(&t, 0, set, 0);
    while (atomic_load(&turn) != n) ;
    pthread_join(t, 0);
    assert(turn == n);
}
