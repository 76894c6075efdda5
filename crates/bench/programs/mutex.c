// mutex(N): a mutex with three states, free, taken, and taken with others waiting, once for each of N threads.
// Where the original sleeps in the kernel, this one spins; where it wakes a sleeper, nothing needs to be done.
//
// source: U. Drepper, "Futexes Are Tricky", 2011, section 6 ("Mutex, Take 2")
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

enum { FREE, TAKEN, CONTENDED };

static atomic_int state;

static int compare_exchange(int from, int to)
{
    atomic_compare_exchange_strong_explicit(&state, &from, to, memory_order_acquire, memory_order_relaxed);
    return from;
}

static void wait_while_contended(void)
{
    while (atomic_load_explicit(&state, memory_order_relaxed) == CONTENDED)
        ;
}

static void lock(void)
{
    int seen = compare_exchange(FREE, TAKEN);
    if (seen == FREE)
        return;
    do {
        if (seen == CONTENDED || compare_exchange(TAKEN, CONTENDED) != FREE)
            wait_while_contended();
    } while ((seen = compare_exchange(FREE, CONTENDED)) != FREE);
}

static void unlock(void)
{
    if (atomic_fetch_sub_explicit(&state, 1, memory_order_release) != TAKEN)
        atomic_store_explicit(&state, FREE, memory_order_release);
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
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
