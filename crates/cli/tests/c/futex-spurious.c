// A wait may end for no reason: whoever does not look again is wrong.
// expect: rc11 violated assertion line=26
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
static void *setter(void *a) {
    atomic_store(&x, 1);
    futex(&x, FUTEX_WAKE, 1, 0);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, setter, 0);
    if (!atomic_load(&x)) futex(&x, FUTEX_WAIT, 0, 0);
    assert(x);
    pthread_join(t, 0);
    return 0;
}
