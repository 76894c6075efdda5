// The combining tree as it is usually written: the last to come to a node goes on to its parent, and wakes the others on
// its way back. It can be used again.
//
// source: P.-C. Yew, N.-F. Tzeng, D. H. Lawrie, "Distributing Hot-Spot Addressing in Large-Scale Multiprocessors",
//         IEEE Transactions on Computers 36(4), 1987; M. Herlihy, N. Shavit, "The Art of Multiprocessor Programming"
//
// expect: sc verified -DN=2 -DK=3
// expect: sc verified -DN=3 -DK=3
// expect: sc verified -DN=4 -DK=2
// expect: tso verified -DN=3 -DK=2
// expect: rc11 verified -DN=3 -DK=2
// expect: sc violated assertion -DN=2 -DK=2 -DMUTANT=NO_RESET
// expect: sc violated assertion -DN=2 -DK=2 -DMUTANT=WAKE_FIRST
// expect: sc violated assertion -DN=4 -DK=1 -DMUTANT=NO_PARENT
// expect: pso verified -DN=2
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define NO_RESET 1      // counts are not set back
#define WAKE_FIRST 2    // a node is set free before its count is set back
#define NO_PARENT 3     // nobody climbs
#ifndef MUTANT
#define MUTANT 0
#endif

#include "tree.h"

static atomic_int arrivals[NODES];
static atomic_bool locksense[NODES];
static _Thread_local bool sense;

static void arrive(int node)
{
    if (atomic_fetch_add_explicit(&arrivals[node], 1, memory_order_acq_rel) + 1 < children(node)) {
        while (atomic_load_explicit(&locksense[node], memory_order_acquire) != sense)
            ;
        return;
    }
    if (node > 0 && MUTANT != NO_PARENT)
        arrive(parent(node));
    if (MUTANT == WAKE_FIRST)
        atomic_store_explicit(&locksense[node], sense, memory_order_release);
    if (MUTANT != NO_RESET)
        atomic_store_explicit(&arrivals[node], 0, memory_order_relaxed);
    if (MUTANT != WAKE_FIRST)
        atomic_store_explicit(&locksense[node], sense, memory_order_release);
}

static void barrier(int id)
{
    sense = !sense;
    arrive(parent(leaf(id)));
}

#include "client.h"
