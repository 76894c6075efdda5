// An exchange lock with its loop marked as waiting; and marks around what reads nothing, which say nothing.
// expect: rc11 verified executions=6
// expect: sc verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <genmc.h>
#define await_while(c) \
    for (int again = (__VERIFIER_loop_begin(), 0); \
         __VERIFIER_spin_start(), again = (c), __VERIFIER_spin_end(!again), again;)
atomic_int lock;
int shared;
void *count(void *arg) {
    await_while(atomic_exchange_explicit(&lock, 1, memory_order_acquire));
    shared++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return arg;
}
int main(void) {
    pthread_t thread[3];
    int rounds = 0;
    for (int i = 0; i < 3; i++) pthread_create(&thread[i], 0, count, 0);
    for (int i = 0; i < 3; i++) pthread_join(thread[i], 0);
    await_while(1)
        if (++rounds == 3) break;
    assert(shared == 3);
}
