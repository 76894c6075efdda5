// retry-weaker(N): N threads add 1 to a number by compare-and-exchange. The load before the loop acquires,
// and what a failure leaves is only relaxed, as most loops of this kind are written. N! executions: an
// attempt that fails because another thread came first has no effect, and the next one begins as if the
// load had read that.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static atomic_int number;

static void *thread(void *arg)
{
    int seen = atomic_load_explicit(&number, memory_order_acquire);
    while (!atomic_compare_exchange_strong_explicit(&number, &seen, seen + 1, memory_order_acq_rel,
                                                    memory_order_relaxed))
        ;
    return arg;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(number == N);
    return 0;
}
