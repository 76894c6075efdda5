// Modifies the second word, wakes at the first, and at the second if what was there was as said.
// expect: sc verified
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int x, y;
static long op(int what, int by, int compare, int with) {
    return syscall(SYS_futex, &x, FUTEX_WAKE_OP, 1, 1L, &y, FUTEX_OP(what, by, compare, with));
}
void __VERIFIER_assume(int);
void *at_x(void *a) {
    syscall(SYS_futex, &x, FUTEX_WAIT, 0, 0, 0, 0);
    return a;
}
void *at_y(void *a) {
    syscall(SYS_futex, &y, FUTEX_WAIT, 8, 0, 0, 0);
    return a;
}
int main(void) {
    assert(op(FUTEX_OP_SET, 5, FUTEX_OP_CMP_EQ, 0) == 0 && y == 5);
    assert(op(FUTEX_OP_ADD, -1, FUTEX_OP_CMP_LT, -3) == 0 && y == 4);
    assert(op(FUTEX_OP_OR, 3, FUTEX_OP_CMP_GT, 0) == 0 && y == 7);
    assert(op(FUTEX_OP_ANDN, 5, FUTEX_OP_CMP_LE, 0) == 0 && y == 2);
    assert(op(FUTEX_OP_XOR, 1, FUTEX_OP_CMP_GE, 0) == 0 && y == 3);
    assert(op(FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT, 3, FUTEX_OP_CMP_NE, 0) == 0 && y == 8);
    pthread_t t, u;
    pthread_create(&t, 0, at_x, 0);
    pthread_create(&u, 0, at_y, 0);
    long woken = op(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 8);
    assert(y == 9);
    __VERIFIER_assume(woken == 2);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
