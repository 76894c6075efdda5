// A loop that waits within another one: what the outer one has read counts, too.
// expect: rc11 verified
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int a, b;
void *thread(void *arg) {
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    int over;
    do {
        __VERIFIER_spin_start();
        over = atomic_load(&b);
        int seen;
        do {
            __VERIFIER_spin_start();
            seen = atomic_load(&a);
            __VERIFIER_spin_end(seen);
        } while (!seen);
        __VERIFIER_spin_end(over);
    } while (!over);
    pthread_join(t, 0);
    return 0;
}
