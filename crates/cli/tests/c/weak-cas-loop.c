// The loop is right also where it may fail, and waiting in it is no error.
// expect: rc11 verified
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
}
