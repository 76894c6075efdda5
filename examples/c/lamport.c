// Lamport's fast mutual exclusion for N threads, one round each: without contention, entering takes two
// writes and two reads of `x` and `y`, however many threads there are.
//
// source: L. Lamport, "A Fast Mutual Exclusion Algorithm", ACM TOCS 5(1), 1987, algorithm 2
// published: lamport(2) 16, lamport(3) 9216 executions
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

// Threads are numbered from 1 here; 0 in `y` means that nobody is inside.
static atomic_int x, y;
static atomic_int interested[N + 1];
static int count;

static void lock(int me)
{
    int id = me + 1;
    for (;;) {
        atomic_store(&interested[id], 1);
        atomic_store(&x, id);
        if (atomic_load(&y) != 0) {
            atomic_store(&interested[id], 0);
            while (atomic_load(&y) != 0)
                ;
            continue;
        }
        atomic_store(&y, id);
        if (atomic_load(&x) == id)
            return;
        atomic_store(&interested[id], 0);
        for (int j = 1; j <= N; j++)
            while (atomic_load(&interested[j]))
                ;
        if (atomic_load(&y) == id)
            return;
        while (atomic_load(&y) != 0)
            ;
    }
}

static void unlock(int me)
{
    atomic_store(&y, 0);
    atomic_store(&interested[me + 1], 0);
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    lock(me);
    count++;
    unlock(me);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
