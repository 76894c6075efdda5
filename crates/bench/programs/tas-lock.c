// tas-lock(N): a lock that is taken by an exchange, once by each of N threads. N! executions.
//
// source: M. Herlihy, N. Shavit, "The Art of Multiprocessor Programming", 2008, section 7.2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int held;
static int count;

static void lock(void)
{
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_store_explicit(&held, 0, memory_order_release);
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
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(count == N);
    return 0;
}
