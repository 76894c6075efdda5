// All are woken.
// expect: rc11 verified
// expect: ra verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long futex(atomic_int *word, int op, int value, const struct timespec *time) {
    return syscall(SYS_futex, word, op, value, time, 0, FUTEX_BITSET_MATCH_ANY);
}
atomic_int go;
static void *sleeper(void *a) {
    while (!atomic_load_explicit(&go, memory_order_relaxed)) futex(&go, FUTEX_WAIT_BITSET, 0, 0);
    return a;
}
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, sleeper, 0);
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    long woken = futex(&go, FUTEX_WAKE_BITSET, INT_MAX, 0);
    assert(woken >= 0 && woken <= 2);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
