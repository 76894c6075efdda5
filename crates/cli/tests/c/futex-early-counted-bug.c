// A thread that counts how often it was woken, in a loop that would do nothing else but wait again.
// expect: sc violated assertion
// expect: rc11 violated assertion
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *sleeper(void *arg)
{
    int woken = 0;
    while (atomic_load_explicit(&word, memory_order_relaxed) == 0)
        if (syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0) == 0)
            woken++;
    assert(woken <= 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sleeper, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    pthread_join(t, 0);
    return 0;
}
