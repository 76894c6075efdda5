// A lock whose two values nobody knows: it works if they differ.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
atomic_int lock;
int free_, taken, count;
void *thread(void *arg) {
    int expected;
    do expected = free_;
    while (!atomic_compare_exchange_strong(&lock, &expected, taken));
    count++;
    atomic_store(&lock, free_);
    return arg;
}
int main(void) {
    free_ = __VERIFIER_nondet_int();
    taken = __VERIFIER_nondet_int();
#ifndef BUG
    __VERIFIER_assume(free_ != taken);
#endif
    lock = free_;
    pthread_t t, u;
    pthread_create(&t, 0, thread, 0);
    pthread_create(&u, 0, thread, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(count == 2);
    return 0;
}
