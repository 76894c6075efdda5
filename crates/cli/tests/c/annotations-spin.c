// Loops that are marked as waiting, in the words of other tools.
// expect: rc11 verified executions=1
// expect: sc verified executions=1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <genmc.h>
void verification_loop_begin(void);
void verification_spin_start(void);
void verification_spin_end(int over);
#define await_while(c) \
    for (int again = (verification_loop_begin(), 0); \
         verification_spin_start(), again = (c), verification_spin_end(!again), again;)
atomic_int flag, seen;
int data;
void *t(void *x) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return x;
}
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    int tries = 0;
    await_while (atomic_load_explicit(&flag, memory_order_acquire) == 0) tries++;
    assert(data == 1);
    do {
        __VERIFIER_spin_start();
        tries = atomic_load(&flag);
        __VERIFIER_spin_end(tries == 1);
    } while (tries != 1);
    pthread_join(p, 0);
    return 0;
}
