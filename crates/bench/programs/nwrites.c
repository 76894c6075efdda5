// nwrites(N): N threads write a variable each; nothing conflicts, so there is one execution.
// nwrites-loc(N), -DSAME: they all write the same variable; coherence orders the writes in N! ways.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 5
#endif

static atomic_int variables[N];

static void *writer(void *arg)
{
    int me = (int)(intptr_t)arg;
#ifdef SAME
    atomic_store_explicit(&variables[0], me + 1, memory_order_relaxed);
#else
    atomic_store_explicit(&variables[me], 1, memory_order_relaxed);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, writer, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
