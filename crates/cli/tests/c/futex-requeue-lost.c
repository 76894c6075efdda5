// Nobody wakes those who were moved: they wait for ever.
// expect: rc11 violated deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int x, y;
void *waiter(void *a) {
    syscall(SYS_futex, &x, FUTEX_WAIT, 0, 0, 0, 0);
    return a;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    x = 1;
    syscall(SYS_futex, &x, FUTEX_REQUEUE, 0, 1, &y, 0);
    pthread_join(t, 0);
    return 0;
}
