// Who wakes up early does something else than to wait again if the word is as it was: that is explored.
// expect: sc violated assertion
// expect: rc11 violated assertion
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, early;

static void *sleeper(void *arg)
{
    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, 0, 0, 0);
    if (atomic_exchange(&word, 1) == 1)
        atomic_store(&early, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    atomic_store(&word, 1);
    pthread_create(&t, 0, sleeper, 0);
    assert(!atomic_load(&early));
    atomic_store(&word, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(t, 0);
    return 0;
}
