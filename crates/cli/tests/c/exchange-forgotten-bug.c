// Nobody gives the lock back.
// expect: rc11 violated non-termination
// expect: sc violated non-termination
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int held;
static int count;

static void lock(void)
{
    while (atomic_exchange(&held, 1))
        ;
}

static void unlock(void)
{
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
