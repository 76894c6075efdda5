// The dissemination barrier: in round r, thread t tells thread t + 2^r and waits for thread t - 2^r. Flags are used in
// turns, by parity, and then with the opposite sense, so that it can be used again.
//
// source: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988;
//         J. M. Mellor-Crummey, M. L. Scott, ACM TOCS 9(1), 1991, section 3.3
//
// expect: sc verified -DN=2
// expect: sc verified -DN=4 -DK=2
// expect: sc verified -DN=5 -DK=1
// expect: tso verified -DN=3
// expect: pso verified -DN=2 -DK=1
// expect: rc11 verified -DN=3
// expect: sc verified -DN=1 -DK=1
// expect: sc verified -DN=3 -DK=1
// expect: sc violated assertion -DN=2 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=5 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc verified -DN=7 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=8 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=2 -DK=1 -DMUTANT=ONE_FLAG
// expect: sc violated assertion -DN=3 -DK=1 -DMUTANT=ONE_FLAG
// expect: sc violated assertion -DN=5 -DK=1 -DMUTANT=ONE_FLAG
// expect: sc violated non-termination -DN=3 -DK=1 -DMUTANT=WAIT_FIRST
// expect: sc violated assertion -DN=3 -DK=2 -DMUTANT=NO_PARITY
// expect: rc11 violated assertion -DN=2 -DK=1 -DMUTANT=RELAXED
// expect: pso violated assertion -DN=2 -DK=1 -DMUTANT=RELAXED
// expect: sc violated assertion -DN=3 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=4 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=19 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc verified -DN=2 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=3 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=4 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=5 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=6 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=9 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=12 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=19 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=4 -DK=1 -DMUTANT=ONE_FLAG
// expect: sc verified errors=assertion -DN=3 -DK=1 -DMUTANT=WAIT_FIRST
// expect: sc verified -DN=10 -DK=1 -DMUTANT=LINEAR
// expect: sc verified -DN=11 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=6 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=7 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=8 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=9 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=10 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=11 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=12 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=13 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=14 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=15 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=16 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=17 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=18 -DK=1 -DMUTANT=FEW_ROUNDS
// expect: sc violated assertion -DN=13 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=14 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=15 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=16 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=17 -DK=1 -DMUTANT=LINEAR
// expect: sc violated assertion -DN=18 -DK=1 -DMUTANT=LINEAR
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 2
#endif

#define FEW_ROUNDS 1    // one round is missing
#define LINEAR 2        // thread t + r + 1 is told, not t + 2^r
#define ONE_FLAG 3      // one flag for all rounds
#define WAIT_FIRST 4    // a thread waits before it tells
#define NO_PARITY 5     // the same flags each time, set once and for all
#define RELAXED 6       // flags do not publish anything
#ifndef MUTANT
#define MUTANT 0
#endif

#define ROUNDS (N <= 1 ? 0 : N <= 2 ? 1 : N <= 4 ? 2 : N <= 8 ? 3 : N <= 16 ? 4 : 5)

static atomic_bool flag[2][N][ROUNDS + 1];
static _Thread_local int parity;
static _Thread_local bool sense = true;

static void tell(int other, int round)
{
    atomic_store_explicit(&flag[parity][other % N][MUTANT == ONE_FLAG ? 0 : round], sense,
                          MUTANT == RELAXED ? memory_order_relaxed : memory_order_release);
}

static void await(int id, int round)
{
    while (atomic_load_explicit(&flag[parity][id][MUTANT == ONE_FLAG ? 0 : round], memory_order_acquire) != sense)
        ;
}

static void barrier(int id)
{
    for (int round = 0; round < ROUNDS - (MUTANT == FEW_ROUNDS); round++) {
        if (MUTANT == WAIT_FIRST)
            await(id, round);
        tell(id + (MUTANT == LINEAR ? round + 1 : 1 << round), round);
        if (MUTANT != WAIT_FIRST)
            await(id, round);
    }
    if (MUTANT == NO_PARITY)
        return;
    if (parity)
        sense = !sense;
    parity = !parity;
}

#include "client.h"
