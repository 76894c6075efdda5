// The attempt is in a function; it sets a bit.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sched.h>

static atomic_uint word;
static int count;

static int trylock(atomic_uint *lock)
{
    return !(atomic_fetch_or_explicit(lock, 1, memory_order_acquire) & 1);
}

static void lock(void)
{
    while (!trylock(&word))
        sched_yield();
}

static void unlock(void)
{
    atomic_store_explicit(&word, 0, memory_order_release);
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
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(count == 3);
    return 0;
}
