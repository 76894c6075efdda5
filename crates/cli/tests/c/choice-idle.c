// Rounds in which a thread only asks whether to go on come to an end: who has asked is where it was.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern _Bool __VERIFIER_nondet_bool(void);
atomic_int flag;
static void *run(void *arg) {
    while (__VERIFIER_nondet_bool()) ;
    atomic_store(&flag, 1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    int seen = atomic_load(&flag);
    while (__VERIFIER_nondet_bool()) seen |= 0;
    assert(seen == 0 || seen == 1);
    pthread_join(t, 0);
    assert(flag == 1);
}
