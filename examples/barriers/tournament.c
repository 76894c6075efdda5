// The tournament barrier with a tree of wake-ups, for one episode: in each round, who loses tells the winner and waits;
// the champion sets the last loser free, and everybody those that it has won against.
//
// source: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988;
//         A. Malkis, A. Banerjee, "Verification of Software Barriers", section 6.2
//
// expect: sc verified -DN=2
// expect: sc verified -DN=3
// expect: sc verified -DN=4
// expect: sc verified -DN=5
// expect: sc verified -DN=6
// expect: tso verified -DN=4
// expect: rc11 verified -DN=4
// expect: sc violated non-termination -DN=3 -DMUTANT=NO_GUARD
// expect: sc violated non-termination -DN=5 -DMUTANT=NO_GUARD
// expect: sc verified -DN=2 -DMUTANT=WINNER_RUSHES
// expect: sc violated assertion -DN=3 -DMUTANT=WINNER_RUSHES
// expect: sc violated assertion -DN=5 -DMUTANT=WINNER_RUSHES
// expect: sc violated assertion -DN=2 -DMUTANT=CHAMPION_RUSHES
// expect: sc violated assertion -DN=4 -DMUTANT=CHAMPION_RUSHES
// expect: sc violated assertion -DN=2 -DMUTANT=LOSER_RUSHES
// expect: sc violated assertion -DN=5 -DMUTANT=LOSER_RUSHES
// expect: sc verified -DN=2 -DMUTANT=NO_LAST_WAKE
// expect: sc violated non-termination -DN=3 -DMUTANT=NO_LAST_WAKE
// expect: sc violated non-termination -DN=5 -DMUTANT=NO_LAST_WAKE
// expect: sc verified errors=assertion -DN=3 -DMUTANT=NO_GUARD
// expect: sc violated assertion -DN=4 -DMUTANT=WINNER_RUSHES
// expect: sc violated assertion -DN=3 -DMUTANT=CHAMPION_RUSHES
// expect: sc violated assertion -DN=5 -DMUTANT=CHAMPION_RUSHES
// expect: sc violated assertion -DN=3 -DMUTANT=LOSER_RUSHES
// expect: sc violated assertion -DN=4 -DMUTANT=LOSER_RUSHES
// expect: sc violated non-termination -DN=4 -DMUTANT=NO_LAST_WAKE
// expect: sc verified errors=assertion -DN=5 -DMUTANT=NO_GUARD
// expect: pso verified -DN=2
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 1
#endif

#define NO_GUARD 1          // who has no opponent waits all the same
#define WINNER_RUSHES 2     // winners do not wait for their losers
#define CHAMPION_RUSHES 3   // nor does the champion
#define LOSER_RUSHES 4      // losers do not wait
#define NO_LAST_WAKE 5      // who lost in the first round is not woken
#ifndef MUTANT
#define MUTANT 0
#endif

#define ROUNDS (N <= 2 ? 1 : N <= 4 ? 2 : N <= 8 ? 3 : 4)

static atomic_bool flag[N][ROUNDS];

static void set(int id, int round)
{
    atomic_store_explicit(&flag[id][round], true, memory_order_release);
}

static void await(int id, int round)
{
    while (!atomic_load_explicit(&flag[id][round], memory_order_acquire))
        ;
}

static void barrier(int id)
{
    int round = 0;
    for (; round < ROUNDS - 1 && id % (2 << round) == 0; round++)
        if ((id + (1 << round) < N || MUTANT == NO_GUARD) && MUTANT != WINNER_RUSHES)
            await(id, round);
    if (id % (2 << round) != 0) {
        set(id - (1 << round), round);
        if (MUTANT != LOSER_RUSHES)
            await(id, round);
    } else {
        if (MUTANT != CHAMPION_RUSHES)
            await(id, round);
        set(id + (1 << round), round);
    }
    for (; round > 1; round--)
        if (id % (1 << round) == 0 && id + (1 << (round - 1)) < N)
            set(id + (1 << (round - 1)), round - 1);
    if (round == 1 && id % 2 == 0 && id + 1 < N && MUTANT != NO_LAST_WAKE)
        set(id + 1, 0);
}

#include "client.h"
