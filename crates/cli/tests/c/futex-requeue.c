// A condition variable of two words: a broadcast wakes one of those who wait, and lets the others wait for the mutex,
// whose release wakes them one by one.
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int mutex, round_;
static int go, passed;
static long futex(atomic_int *word, int op, int value, long other, atomic_int *to, int expected) {
    return syscall(SYS_futex, word, op, value, other, to, expected);
}
static void lock(void) {
    int was = 0;
    if (atomic_compare_exchange_strong(&mutex, &was, 1)) return;
    while (atomic_exchange(&mutex, 2) != 0) futex(&mutex, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}
static void unlock(void) {
    if (atomic_exchange(&mutex, 0) == 2) futex(&mutex, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
// Who was moved has to leave the mutex as one that others wait for.
static void wait_(void) {
    int seen = atomic_load(&round_);
    unlock();
    futex(&round_, FUTEX_WAIT_PRIVATE, seen, 0, 0, 0);
    while (atomic_exchange(&mutex, 2) != 0) futex(&mutex, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}
static void broadcast(void) {
    int now = atomic_fetch_add(&round_, 1) + 1;
    futex(&round_, FUTEX_CMP_REQUEUE_PRIVATE, 1, INT_MAX, &mutex, now);
}
void *waiter(void *a) {
    lock();
    while (!go) wait_();
    passed++;
    unlock();
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    lock();
    go = 1;
    broadcast();
    unlock();
    pthread_join(t, 0);
    assert(passed == 1);
    return 0;
}
