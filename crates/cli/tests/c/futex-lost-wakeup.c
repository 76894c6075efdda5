// The lock forgets that somebody waits: a wake-up is lost.
// expect: rc11 violated deadlock
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
atomic_int lock;
int n;
static void take(void) {
    int c = 0;
    while (!atomic_compare_exchange_strong(&lock, &c, 1)) {
        futex(&lock, FUTEX_WAIT, 1, 0);
        c = 0;
    }
}
static void leave(void) {
    futex(&lock, FUTEX_WAKE, 1, 0);
    atomic_store(&lock, 0);
}
static void *worker(void *a) { take(); n++; leave(); return a; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    worker(0);
    pthread_join(t, 0);
    return 0;
}
