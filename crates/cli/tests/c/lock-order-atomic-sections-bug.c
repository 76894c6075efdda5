// Found without a second exploration: the sections are atomic, but the sum is read outside of them.
// expect: sc violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
static atomic_int from = 2, to;
static int x[4];
static void *move(void *arg) {
    __VERIFIER_atomic_begin();
    from--;
    to++;
    __VERIFIER_atomic_end();
    return arg;
}
static void *other(void *arg) {
    for (int k = 0; k < 4; k++) {
        __VERIFIER_atomic_begin();
        x[(long)arg]++;
        __VERIFIER_atomic_end();
    }
    return NULL;
}
int main(void) {
    pthread_t t[5];
    for (long i = 0; i < 5; i++) pthread_create(&t[i], NULL, i < 4 ? other : move, (void *)i);
    int seen = from;
    seen += to;
    assert(seen == 2);
    for (int i = 0; i < 5; i++) pthread_join(t[i], NULL);
}
