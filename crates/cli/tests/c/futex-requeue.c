// expect: rc11 unknown
// message: a futex operation other than FUTEX_WAIT
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
atomic_int x;
int main(void) { return futex(&x, FUTEX_REQUEUE, 1, 0); }
