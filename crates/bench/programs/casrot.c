// casrot(N): thread i, from 0 on, changes x from i to i + 1 by compare-and-swap, or finds another value there.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif

static atomic_int x;

static void *worker(void *arg)
{
    int from = (int)(intptr_t)arg;
    int to = from + 1;
    atomic_compare_exchange_strong(&x, &from, to);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
