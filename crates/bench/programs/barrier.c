// barrier(N), barrier2(N), barrier3(N): N threads meet at a barrier, ROUNDS times.
// BAM: one execution. With an order of arrivals: (N!)^ROUNDS, and many more that block.
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static pthread_barrier_t barrier;

static void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++)
        pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
