// A mutex on a futex that three threads take. That each of them may wake up for no reason makes no difference: it would wait
// again, or could have come later.
// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, thread, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(a == 3 && b == 3);
    return 0;
}
