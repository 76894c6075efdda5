// Three threads and a mutex on a futex that who waits marks by an exchange: an exchange that finds the mark leaves it as it
// was, so who wakes up for no reason and finds it has done nothing.
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;
static int a, b;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong_explicit(&word, &seen, 1, memory_order_acquire, memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&word, 2, memory_order_acquire) != 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static void unlock(void)
{
    if (atomic_exchange_explicit(&word, 0, memory_order_release) == 2)
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static void *thread(void *arg)
{
    lock();
    a++;
    b++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(a == 3 && b == 3);
    return 0;
}
