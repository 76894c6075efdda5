// ainc(N): N threads increment a counter, N! executions. binc(N), -DCOUNTERS=2: and then another one, (N!)^2.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#ifndef COUNTERS
#define COUNTERS 1
#endif

static atomic_int counters[COUNTERS];

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < COUNTERS; i++)
        atomic_fetch_add_explicit(&counters[i], 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < COUNTERS; i++)
        assert(atomic_load(&counters[i]) == N);
    return 0;
}
