// A lock of three states (unlocked, locked, locked and waited for) on a futex.
// expect: rc11 verified
// expect: sc verified
// expect: x86 verified
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
    if (atomic_compare_exchange_strong(&lock, &c, 1)) return;
    if (c != 2) c = atomic_exchange(&lock, 2);
    while (c != 0) {
        futex(&lock, FUTEX_WAIT_PRIVATE, 2, 0);
        c = atomic_exchange(&lock, 2);
    }
}
static void leave(void) {
    if (atomic_fetch_sub(&lock, 1) != 1) {
        atomic_store(&lock, 0);
        futex(&lock, FUTEX_WAKE_PRIVATE, 1, 0);
    }
}
static void *worker(void *a) { take(); n++; leave(); return a; }
int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(n == 2);
    return 0;
}
