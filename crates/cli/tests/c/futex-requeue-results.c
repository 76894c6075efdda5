// What the calls return, and who is woken: of two threads that wait one is woken, and the other moved; who was moved
// is not woken at the old address, but at the new one.
// expect: sc verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int x, y, up;
static long futex(atomic_int *word, int op, int value, long other, atomic_int *to, int expected) {
    return syscall(SYS_futex, word, op, value, other, to, expected);
}
void __VERIFIER_assume(int);
void *waiter(void *a) {
    futex(&x, FUTEX_WAIT, 0, 0, 0, 0);
    atomic_fetch_add(&up, 1);
    return a;
}
int main(void) {
    pthread_t t, u;
    assert(futex(&x, FUTEX_CMP_REQUEUE, 1, 1, &y, 7) == -1 && errno == EAGAIN);
    assert(futex(&x, FUTEX_CMP_REQUEUE, 1, -1, &y, 0) == -1 && errno == EINVAL);
    pthread_create(&t, 0, waiter, 0);
    pthread_create(&u, 0, waiter, 0);
    __VERIFIER_assume(futex(&x, FUTEX_CMP_REQUEUE, 1, 1, &y, 0) == 2);
    assert(futex(&x, FUTEX_WAKE, 2, 0, 0, 0) == 0);
    int before = up;
    assert(before <= 1);
    assert(futex(&y, FUTEX_WAKE, 2, 0, 0, 0) == 1);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(up == 2);
    return 0;
}
