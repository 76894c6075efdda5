// The simplest central barrier, for one episode: everybody takes one from a counter and waits until nothing is left.
//
// source: A. Malkis, A. Banerjee, "Verification of Software Barriers", sections 4.1 and 8
//
// expect: sc verified -DN=8
// expect: tso verified executions=1 -DN=16
// expect: tso verified executions=24 disable=arrivals -DN=4
// expect: pso verified -DN=3
// expect: rc11 verified -DN=4
// expect: tso verified -DN=1
// expect: tso verified -DN=2
// expect: tso verified -DN=3
// expect: tso verified -DN=4
// expect: tso verified -DN=5
// expect: tso verified -DN=6
// expect: tso verified -DN=7
// expect: tso verified -DN=8
// expect: tso verified -DN=10
// expect: sc violated assertion -DMUTANT=INIT_LOW
// expect: sc violated assertion -DMUTANT=WAIT_ONE
// expect: sc violated non-termination -DMUTANT=INIT_HIGH
// expect: sc violated non-termination -DMUTANT=TORN
// expect: rc11 violated assertion -DMUTANT=RELAXED_TAKE
// expect: rc11 violated assertion -DMUTANT=RELAXED_WAIT
// expect: pso violated assertion -DN=2 -DMUTANT=RELAXED_TAKE
// expect: sc verified errors=assertion -DMUTANT=INIT_HIGH
// expect: sc verified errors=assertion -DMUTANT=TORN
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif

#define INIT_LOW 1      // the counter begins with one less
#define INIT_HIGH 2     // or with one more
#define WAIT_ONE 3      // one that has not arrived is not waited for
#define TORN 4          // taking one away is two steps
#define RELAXED_TAKE 5  // arriving does not publish what was done before
#define RELAXED_WAIT 6  // seeing the others arrive does not mean to see what they did
#ifndef MUTANT
#define MUTANT 0
#endif

#define TAKE (MUTANT == RELAXED_TAKE ? memory_order_relaxed : memory_order_release)
#define LOOK (MUTANT == RELAXED_WAIT ? memory_order_relaxed : memory_order_acquire)

static atomic_int count = N - (MUTANT == INIT_LOW) + (MUTANT == INIT_HIGH);

static void barrier(int id)
{
    (void)id;
#if MUTANT == TORN
    atomic_store_explicit(&count, atomic_load_explicit(&count, LOOK) - 1, memory_order_release);
#else
    atomic_fetch_sub_explicit(&count, 1, TAKE);
#endif
    while (atomic_load_explicit(&count, LOOK) > (MUTANT == WAIT_ONE))
        ;
}

#include "client.h"
