// The test is made before the lock is taken.
// expect: sc violated assertion
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int balance = 100;
void *withdraw(void *arg) {
    int amount = __VERIFIER_nondet_int();
    __VERIFIER_assume(amount > 0 && amount <= 100);
    pthread_mutex_lock(&m);
    int enough = balance >= amount;
    pthread_mutex_unlock(&m);
    if (enough) {
        pthread_mutex_lock(&m);
        balance -= amount;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, withdraw, 0);
    pthread_create(&b, 0, withdraw, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(balance >= 0);
}
