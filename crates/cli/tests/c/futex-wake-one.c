// One call wakes one of two, whichever; both orders are there, and the other one sleeps for ever.
// expect: rc11 violated deadlock
// message: waits for a condition
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
static void *sleeper(void *a) { while (!go) futex(&go, FUTEX_WAIT, 0, 0); return a; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, sleeper, 0);
    go = 1;
    futex(&go, FUTEX_WAKE, 1, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
