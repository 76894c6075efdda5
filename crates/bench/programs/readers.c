// readers(N): one thread writes a variable, N threads read it. Each reader sees the write or does not: 2^N
// executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 5
#endif

static atomic_int x;

static void *writer(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    int seen = atomic_load_explicit(&x, memory_order_relaxed);
    assert(seen == 0 || seen == 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[N], NULL, writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
