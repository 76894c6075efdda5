// Who posts looks for sleepers before it posts.
// expect: rc11 violated deadlock
// expect: sc violated deadlock
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int count, waiting;
static void *run(void *arg) {
    int sleepers = atomic_load(&waiting);
    atomic_store(&count, 1);
    if (sleepers) syscall(SYS_futex, &count, FUTEX_WAKE, 1, 0, 0, 0);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    atomic_fetch_add(&waiting, 1);
    while (atomic_load(&count) == 0) syscall(SYS_futex, &count, FUTEX_WAIT, 0, 0, 0, 0);
    pthread_join(t, 0);
}
