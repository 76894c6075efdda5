// futex-lock(N): a lock whose word counts the threads that hold or want it, once for each of N threads; who does not get
// it sleeps in the kernel. Musl's lock is of this kind.
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef N
#define N 2
#endif

#define LOCKED INT_MIN

// The number of threads that hold it or want it, and whether one holds it.
static atomic_int word;
static int a, b;

static void lock(void)
{
    int seen = 0;
    if (atomic_compare_exchange_strong(&word, &seen, LOCKED + 1))
        return;
    seen = atomic_fetch_add(&word, 1) + 1;
    for (;;) {
        if (seen < 0) {
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, 0, 0, 0);
            seen -= LOCKED;
        }
        int expected = seen;
        if (atomic_compare_exchange_strong(&word, &expected, LOCKED + seen))
            return;
        seen = expected;
    }
}

static void unlock(void)
{
    if (atomic_fetch_add(&word, -(LOCKED + 1)) != LOCKED + 1)
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
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    assert(a == N && b == N);
    return 0;
}
