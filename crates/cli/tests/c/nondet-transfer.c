// Bank accounts: what is taken from one is put on the other, whatever the amount.
// expect: sc verified
#include <pthread.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned from, to, total;
void *transfer(void *arg) {
    unsigned amount = __VERIFIER_nondet_uint();
    pthread_mutex_lock(&m);
    if (amount <= from) { from -= amount; to += amount; }
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a, b;
    from = __VERIFIER_nondet_uint();
    to = __VERIFIER_nondet_uint();
    total = from + to;
    pthread_create(&a, 0, transfer, 0);
    pthread_create(&b, 0, transfer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (from + to != total) reach_error();
}
