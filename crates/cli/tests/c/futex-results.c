// What the calls return, and errno.
// expect: rc11 verified
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
int main(void) {
    assert(futex(&x, FUTEX_WAIT, 1, 0) == -1 && errno == EAGAIN);
    assert(futex(&x, FUTEX_WAKE, 1, 0) == 0);
    struct timespec second = {1, 0};
    errno = 0;
    long r = futex(&x, FUTEX_WAIT, 0, &second);
    assert(r == 0 || (r == -1 && errno == ETIMEDOUT));
    assert(syscall(SYS_futex, &x, FUTEX_WAKE, 1) == 0);
    assert(syscall(SYS_futex, &x, FUTEX_WAKE_BITSET, 1, 0, 0, 0) == -1 && errno == EINVAL);
    assert(syscall(SYS_gettid) == gettid());
    return 0;
}
