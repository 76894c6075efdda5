// A test-and-set lock that is cleared by a relaxed store: the next one does not see what was done.
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int held;
static int count;

static void lock(void)
{
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_store_explicit(&held, 0, memory_order_relaxed);
}

static void *thread(void *arg)
{
    lock();
    count++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
