// What comes after a loop that only lets some time pass is explored. (It was taken for a loop that waits:
// nothing came after it, and with `--errors assertion` nothing was wrong.)
// expect: rc11 violated assertion line=19
// check: --errors assertion
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int slot;

static void *offers(void *arg)
{
    int empty = 0;
    if (atomic_compare_exchange_strong(&slot, &empty, 1)) {
        for (int i = 0; i < 2; i++)
            sched_yield();
        int offered = 1;
        assert(atomic_compare_exchange_strong(&slot, &offered, 0)); // another thread may have taken it
    }
    return arg;
}

static void *takes(void *arg)
{
    int offered = 1;
    atomic_compare_exchange_strong(&slot, &offered, 2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, offers, NULL);
    pthread_create(&b, NULL, takes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
