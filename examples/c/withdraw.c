// Two threads withdraw amounts that nobody knows from an account, under a lock. However much they ask for, the
// balance never gets below zero.
//
// source: textbook example of checking and acting
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *withdraw(void *arg)
{
    int amount = __VERIFIER_nondet_int();

    __VERIFIER_assume(amount > 0);
    pthread_mutex_lock(&mutex);
    if (balance >= amount)
        balance -= amount;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, withdraw, NULL);
    pthread_create(&two, NULL, withdraw, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(balance >= 0);
    return 0;
}
