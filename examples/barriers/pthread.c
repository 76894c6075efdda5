// The barrier of POSIX threads.
//
// expect: sc verified
// expect: rc11 verified -DN=3
// expect: sc violated assertion -DMUTANT=INIT_LOW -DK=1
// expect: sc violated deadlock -DMUTANT=INIT_HIGH
// expect: tso verified -DN=2
// expect: pso verified -DN=2
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 3
#endif

#define INIT_LOW 1      // for one thread less
#define INIT_HIGH 2     // for one more
#ifndef MUTANT
#define MUTANT 0
#endif

static pthread_barrier_t wall;

__attribute__((constructor)) static void prepare(void)
{
    pthread_barrier_init(&wall, 0, N - (MUTANT == INIT_LOW) + (MUTANT == INIT_HIGH));
}

static void barrier(int id)
{
    (void)id;
    pthread_barrier_wait(&wall);
}

#include "client.h"
