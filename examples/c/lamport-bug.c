// Lamport's fast mutual exclusion with release and acquire accesses: both threads write `x` and read `y`
// before either write is seen, then each finds its own `x` and enters. tso loses an increment, rc11
// reports the race on the counter.
//
// source: L. Lamport, "A Fast Mutual Exclusion Algorithm", ACM TOCS 5(1), 1987, algorithm 2
// expect: sc verified
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: tso violated assertion line=72 no-races
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
        atomic_store_explicit(&interested[id], 1, memory_order_release);
        atomic_store_explicit(&x, id, memory_order_release);
        if (atomic_load_explicit(&y, memory_order_acquire) != 0) {
            atomic_store_explicit(&interested[id], 0, memory_order_release);
            while (atomic_load_explicit(&y, memory_order_acquire) != 0)
                ;
            continue;
        }
        atomic_store_explicit(&y, id, memory_order_release);
        if (atomic_load_explicit(&x, memory_order_acquire) == id)
            return;
        atomic_store_explicit(&interested[id], 0, memory_order_release);
        for (int j = 1; j <= N; j++)
            while (atomic_load_explicit(&interested[j], memory_order_acquire))
                ;
        if (atomic_load_explicit(&y, memory_order_acquire) == id)
            return;
        while (atomic_load_explicit(&y, memory_order_acquire) != 0)
            ;
    }
}

static void unlock(int me)
{
    atomic_store_explicit(&y, 0, memory_order_release);
    atomic_store_explicit(&interested[me + 1], 0, memory_order_release);
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
