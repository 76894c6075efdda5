// The same rounds with only the first barrier: a fast thread begins its next round and overwrites the cell
// that its neighbour is about to read. sc and tso show the wrong value, rc11 the race.
//
// source: POSIX, pthread_barrier_wait
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc violated assertion line=29 no-races
// expect: tso violated assertion line=29 no-races
#define _POSIX_C_SOURCE 200809L
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif
#define ROUNDS 2

static pthread_barrier_t barrier;
static int cell[N];

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int round = 1; round <= ROUNDS; round++) {
        cell[me] = round;
        pthread_barrier_wait(&barrier);
        assert(cell[(me + 1) % N] == round);
    }
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, N);
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
