// A fuzzy barrier: arriving and leaving are two calls, and between them there is work that needs nobody.
//
// source: R. Gupta, "The Fuzzy Barrier: A Mechanism for High Speed Synchronization of Processors", ASPLOS 1989
//
// expect: sc verified -DN=3 -DK=2
// expect: tso verified
// expect: rc11 verified -DN=3 -DK=2
// expect: sc violated assertion -DMUTANT=SIGNAL_FIRST -DK=2
// expect: sc violated assertion -DMUTANT=LEAVE_FIRST -DK=1
// expect: sc violated assertion -DMUTANT=NO_LEAVE -DK=1
// expect: pso verified -DN=2
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define SIGNAL_FIRST 1  // the sense is reversed before the counter is set back
#define LEAVE_FIRST 2   // the wait comes before the work, and the arrival after it
#define NO_LEAVE 3      // nobody waits
#ifndef MUTANT
#define MUTANT 0
#endif

static atomic_int count = N;
static atomic_bool sense;
static _Thread_local bool own_sense;
static _Thread_local int done;

static void arrive(void)
{
    own_sense = !own_sense;
    if (atomic_fetch_sub_explicit(&count, 1, memory_order_acq_rel) > 1)
        return;
    if (MUTANT == SIGNAL_FIRST)
        atomic_store_explicit(&sense, own_sense, memory_order_release);
    atomic_store_explicit(&count, N, memory_order_relaxed);
    if (MUTANT != SIGNAL_FIRST)
        atomic_store_explicit(&sense, own_sense, memory_order_release);
}

static void leave(void)
{
    while (MUTANT != NO_LEAVE && atomic_load_explicit(&sense, memory_order_acquire) != own_sense)
        ;
}

static void barrier(int id)
{
    (void)id;
    if (MUTANT == LEAVE_FIRST)
        leave();
    else
        arrive();
    done++;
    if (MUTANT == LEAVE_FIRST)
        arrive();
    else
        leave();
}

#include "client.h"
