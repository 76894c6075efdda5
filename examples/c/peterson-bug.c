// Peterson's mutual exclusion with release and acquire accesses. Each thread's flag can still be in its
// store buffer when it looks at the other's: both find it lowered and both enter. tso loses an increment,
// rc11 reports the race on the counter.
//
// source: G. L. Peterson, "Myths about the Mutual Exclusion Problem", IPL 12(3), 1981
// expect: sc verified
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: tso violated assertion line=56 no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 1
#endif

static atomic_int flag[2];
static atomic_int turn;
static int count;

static void lock(int me)
{
    int other = 1 - me;
    atomic_store_explicit(&flag[me], 1, memory_order_release);
    atomic_store_explicit(&turn, other, memory_order_release);
    while (atomic_load_explicit(&flag[other], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        ;
}

static void unlock(int me)
{
    atomic_store_explicit(&flag[me], 0, memory_order_release);
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < N; i++) {
        lock(me);
        count++;
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2 * N);
    return 0;
}
