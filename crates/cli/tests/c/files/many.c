// Three threads write a line each and count that; recovery finds all lines where it finds the last count.
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
_Alignas(64) _Atomic int m[64];
static void *run(void *at) {
    int i = (int)(long)at;
    atomic_fetch_add(&m[48], 1);
    atomic_store(&m[16 * i], 1);
    _mm_clwb((void *)&m[16 * i]);
    atomic_fetch_add(&m[48], 1);
    return 0;
}
void __VERIFIER_recovery_routine(void) {
    int sum = m[0] + m[16] + m[32], seen = m[48];
    assert(sum <= 3 && seen <= 6 && (seen < 6 || sum == 3));
}
int main(void) {
    pthread_t t[3];
    selvedge_durable(m, sizeof m);
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    return 0;
}
