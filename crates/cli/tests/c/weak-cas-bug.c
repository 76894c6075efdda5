// Where it is asked for, a single weak compare-and-exchange may fail.
// expect: rc11 violated assertion line=21
// check: --weak-cas 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *add(void *arg) {
    int old = atomic_load(&x);
    while (!atomic_compare_exchange_weak(&x, &old, old + 1));
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    int two = 2;
    assert(atomic_compare_exchange_weak(&x, &two, 3));
}
