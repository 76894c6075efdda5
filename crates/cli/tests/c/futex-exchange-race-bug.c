// Who wakes up for no reason stores the mark again, which races with a plain read: also where nobody ever wakes it.
// expect: rc11 violated data-race
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static int word = 2;

static void *sleeper(void *arg)
{
    do
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE) != 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, sleeper, 0);
    pthread_detach(t);
    return word == 2 ? 0 : 1;
}
