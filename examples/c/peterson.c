// Peterson's mutual exclusion for two threads, N rounds each, with sequentially consistent accesses.
//
// source: G. L. Peterson, "Myths about the Mutual Exclusion Problem", IPL 12(3), 1981
// published: peterson(2) 48, peterson(3) 588, peterson(4) 7360 executions
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int flag[2];
static atomic_int turn;
static int count;

static void lock(int me)
{
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    atomic_store(&turn, other);
    while (atomic_load(&flag[other]) && atomic_load(&turn) == other)
        ;
}

static void unlock(int me)
{
    atomic_store(&flag[me], 0);
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
