// A compare-and-exchange finds what it expects or not, as the numbers are; both threads have to agree on that.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int __VERIFIER_nondet_int(void);
atomic_int x;
int n, m;
void *thread(void *won) {
    int expected = n;
    if (atomic_compare_exchange_strong(&x, &expected, 7)) {
        assert(n == m || n == 7);
        *(int *)won = 1;
    } else {
        assert(expected != n);
    }
    return 0;
}
int main(void) {
    int one = 0, other = 0;
    n = __VERIFIER_nondet_int();
    m = __VERIFIER_nondet_int();
    x = m;
    pthread_t t, u;
    pthread_create(&t, 0, thread, &one);
    pthread_create(&u, 0, thread, &other);
    pthread_join(t, 0);
    pthread_join(u, 0);
    if (n == m && n != 7) assert(one + other == 1);
    if (n == m && n == 7) assert(one + other == 2);
    if (n != m) assert(one + other == 0);
    return 0;
}
