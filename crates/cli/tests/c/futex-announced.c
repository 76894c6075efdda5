// A semaphore on a futex: who waits announces it and sleeps, who posts looks for that. The kernel's fence is
// what keeps them from missing each other.
// expect: rc11 verified
// expect: armv8 verified
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int count = 1, waiting;
static int sum;
static void down(void) {
    for (;;) {
        int free = atomic_load_explicit(&count, memory_order_relaxed);
        while (free > 0)
            if (atomic_compare_exchange_strong_explicit(&count, &free, free - 1, memory_order_acquire, memory_order_relaxed)) return;
        atomic_fetch_add(&waiting, 1);
        syscall(SYS_futex, &count, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
        atomic_fetch_sub(&waiting, 1);
    }
}
static void up(void) {
    atomic_fetch_add(&count, 1);
    if (atomic_load(&waiting) > 0) syscall(SYS_futex, &count, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
static void *run(void *arg) {
    down();
    sum++;
    up();
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 2);
}
