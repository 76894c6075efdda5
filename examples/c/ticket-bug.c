// The ticket lock with a relaxed unlock: the next thread sees its number come up, but not necessarily
// what was written in the critical section before. Only rc11 shows it.
//
// source: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for Scalable Synchronization on Shared-Memory
//         Multiprocessors", ACM TOCS 9(1), 1991, section 2.2
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_uint next_ticket, now_serving;

static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&now_serving, memory_order_acquire) != mine)
        ;
}

static void unlock(void)
{
    unsigned mine = atomic_load_explicit(&now_serving, memory_order_relaxed);
    atomic_store_explicit(&now_serving, mine + 1, memory_order_relaxed);
}

static int count;

static void *worker(void *arg)
{
    (void)arg;
    lock();
    count++;
    unlock();
    return NULL;
}

int main(void)
{
    static int contexts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &contexts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
