// What a thread counts while it asks whether to go on is seen.
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
extern _Bool __VERIFIER_nondet_bool(void);
static void *run(void *arg) {
    int rounds = 0;
    while (__VERIFIER_nondet_bool()) rounds++;
    assert(rounds < 3);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
}
