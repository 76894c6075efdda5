// A lock that says who has it: the first attempt that fails changes that, so it is made; the next one does not.
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int owner;
static int count;
static atomic_int names;

static void lock(void)
{
    int me = 1 + atomic_fetch_add(&names, 1);
    while (atomic_exchange_explicit(&owner, me, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_store_explicit(&owner, 0, memory_order_release);
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
    (void)count;
    return 0;
}
