// A central barrier that can be used again: the last to arrive sets the counter back and then reverses the sense that the
// others wait for.
//
// source: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988;
//         A. Malkis, A. Banerjee, "Verification of Software Barriers", section 4.2
//
// expect: sc verified -DN=3 -DK=3
// expect: sc verified -DN=4 -DK=2
// expect: tso verified -DN=3 -DK=2
// expect: pso verified -DN=2 -DK=2
// expect: rc11 verified -DN=3 -DK=2
// expect: sc verified -DN=1 -DK=3
// expect: sc verified -DN=2 -DK=1
// expect: sc verified -DN=2 -DK=2
// expect: sc verified -DN=2 -DK=3
// expect: sc verified -DN=3 -DK=1
// expect: sc verified -DN=3 -DK=2
// expect: sc verified -DN=4 -DK=1
// expect: sc verified -DMUTANT=SIGNAL_FIRST -DK=1
// expect: sc violated assertion -DMUTANT=SIGNAL_FIRST -DK=2
// expect: sc verified -DMUTANT=NO_RESET -DK=1
// expect: sc violated assertion -DMUTANT=NO_RESET -DK=2
// expect: sc violated non-termination -DMUTANT=NO_SIGNAL -DK=1
// expect: sc violated assertion -DMUTANT=NO_SIGNAL -DK=2
// expect: sc violated assertion -DMUTANT=NO_TOGGLE -DK=1
// expect: sc violated assertion -DMUTANT=NO_WAIT -DK=1
// expect: sc violated assertion -DMUTANT=LAST_TWO -DK=1
// expect: sc violated non-termination -DMUTANT=NO_LAST -DK=1
// expect: sc violated non-termination -DMUTANT=TORN -DK=1
// expect: rc11 violated assertion -DMUTANT=RELAXED -DK=1
// expect: pso violated assertion -DN=2 -DK=2 -DMUTANT=RELAXED
// expect: sc verified errors=assertion -DN=2 -DMUTANT=NO_LAST -DK=1
// expect: sc verified errors=assertion -DN=2 -DMUTANT=TORN -DK=1
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define SIGNAL_FIRST 1  // the sense is reversed before the counter is set back
#define NO_RESET 2
#define NO_SIGNAL 3
#define NO_TOGGLE 4
#define NO_WAIT 5
#define LAST_TWO 6      // the last but one believes to be the last
#define NO_LAST 7       // nobody believes to be the last
#define TORN 8          // taking one away is two steps
#define RELAXED 9       // the sense does not publish anything
#ifndef MUTANT
#define MUTANT 0
#endif

static atomic_int count = N;
static atomic_bool sense;
static _Thread_local bool own_sense;

static int take(void)
{
    if (MUTANT != TORN)
        return atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel);
    int old = atomic_load_explicit(&count, memory_order_acquire);
    atomic_store_explicit(&count, old - 1, memory_order_release);
    return old;
}

static void reset(void)
{
    if (MUTANT != NO_RESET)
        atomic_store_explicit(&count, N, memory_order_relaxed);
}

static void signal(void)
{
    if (MUTANT != NO_SIGNAL)
        atomic_store_explicit(&sense, own_sense, MUTANT == RELAXED ? memory_order_relaxed : memory_order_release);
}

static void barrier(int id)
{
    (void)id;
    if (MUTANT != NO_TOGGLE)
        own_sense = !own_sense;
    if (take() > (MUTANT == LAST_TWO ? 2 : MUTANT == NO_LAST ? 0 : 1)) {
        while (MUTANT != NO_WAIT && atomic_load_explicit(&sense, memory_order_acquire) != own_sense)
            ;
    } else if (MUTANT == SIGNAL_FIRST) {
        signal();
        reset();
    } else {
        reset();
        signal();
    }
}

#include "client.h"
