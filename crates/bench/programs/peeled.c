// Readers that wait for a value with the load before the loop and again at its end, as in the thesis's LOOP-PEEL:
//     b = x; while (b != VALUE) b = x;
//
// ws+r-peeled(N): N threads write 1, 2 and 0 to x; one waits until x is 0. The writes are ordered in
// (3N)! / 6^N ways, and the reader sees one of N + 1 zeros.
// w+rs-peeled(N), -DREADERS: one thread writes 1, 2, ..., 42; the N - 1 others wait for the last value.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writer(void *arg)
{
    (void)arg;
#ifdef READERS
    for (int i = 1; i <= 42; i++)
        atomic_store_explicit(&x, i, memory_order_relaxed);
#else
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    atomic_store_explicit(&x, 0, memory_order_relaxed);
#endif
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
#ifdef READERS
    const int value = 42;
#else
    const int value = 0;
#endif
    int b = atomic_load_explicit(&x, memory_order_relaxed);
    while (b != value)
        b = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];
#ifdef READERS
    const int writers = 1, all = N;
#else
    const int writers = N, all = N + 1;
#endif

    for (int i = 0; i < all; i++)
        pthread_create(&threads[i], NULL, i < writers ? writer : reader, NULL);
    for (int i = 0; i < all; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
