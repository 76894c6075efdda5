// A static tree: thread i stands at node i, with children 2i+1 and 2i+2. It waits for its children, tells its parent,
// sleeps until it is woken, and wakes its children.
//
// source: M. Herlihy, N. Shavit, "The Art of Multiprocessor Programming", section 17.5;
//         A. Malkis, A. Banerjee, "Verification of Software Barriers", section 5.1
//
// expect: sc verified -DN=4 -DK=3
// expect: sc verified -DN=5 -DK=1
// expect: tso verified -DN=3 -DK=2
// expect: pso verified -DN=2 -DK=1
// expect: rc11 verified -DN=3 -DK=2
// expect: sc verified -DN=1 -DK=3
// expect: sc verified -DN=2 -DK=3
// expect: sc verified -DN=3 -DK=3
// expect: sc violated assertion -DMUTANT=NO_RIGHT_WAIT
// expect: sc violated assertion -DMUTANT=NO_SIGNAL
// expect: sc violated assertion -DMUTANT=NO_SLEEP
// expect: sc violated non-termination -DMUTANT=ROOT_SLEEPS
// expect: sc violated non-termination -DMUTANT=LEAF_STUCK
// expect: sc violated non-termination -DMUTANT=RIGHT_SLEEPS_ON -DK=1
// expect: sc verified errors=assertion -DMUTANT=ROOT_SLEEPS
// expect: sc verified errors=assertion -DMUTANT=LEAF_STUCK
// expect: sc verified errors=assertion -DMUTANT=RIGHT_SLEEPS_ON -DK=1
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 3
#endif

#define NO_RIGHT_WAIT 1   // only the left child is waited for
#define NO_SIGNAL 2       // parents are not told
#define NO_SLEEP 3
#define ROOT_SLEEPS 4     // the root sets its own sense
#define LEAF_STUCK 5      // leaves wait for children that are not there
#define RIGHT_SLEEPS_ON 6 // right children are not woken
#ifndef MUTANT
#define MUTANT 0
#endif

static atomic_bool sense[N];

static void await(int node, bool value)
{
    while (atomic_load_explicit(&sense[node], memory_order_acquire) != value)
        ;
}

static void set(int node, bool value)
{
    atomic_store_explicit(&sense[node], value, memory_order_release);
}

static void barrier(int id)
{
    int left = 2 * id + 1, right = 2 * id + 2;
    if (left < N)
        await(left, true);
    else if (MUTANT == LEAF_STUCK)
        await(id, true);
    if (right < N && MUTANT != NO_RIGHT_WAIT)
        await(right, true);
    if ((id > 0 || MUTANT == ROOT_SLEEPS) && MUTANT != NO_SIGNAL)
        set(id, true);
    if (MUTANT != NO_SLEEP)
        await(id, false);
    if (left < N)
        set(left, false);
    if (right < N && MUTANT != RIGHT_SLEEPS_ON)
        set(right, false);
}

#include "client.h"
