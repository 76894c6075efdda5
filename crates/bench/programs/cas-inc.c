// cas-inc(N): a number that each of N threads increases K times, by loading it and a compare-and-exchange
// that tries again. Loads acquire, what succeeds releases. Whoever is first goes on, so there are the orders
// of the increments only: (N * K)! / K!^N.
//
// source: M. Herlihy, N. Shavit, "The Art of Multiprocessor Programming", 2008, section 5.6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 2
#endif

static atomic_int number;

static void *thread(void *arg)
{
    (void)arg;
    for (int i = 0; i < K; i++) {
        int seen;
        do {
            seen = atomic_load_explicit(&number, memory_order_acquire);
        } while (!atomic_compare_exchange_strong_explicit(&number, &seen, seen + 1, memory_order_release,
                                                          memory_order_relaxed));
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(number == N * K);
    return 0;
}
