// The algorithm of .NET's System.Threading.Barrier: how many there are, how many have arrived and the sense are in one
// word, which a compare-and-exchange changes; those who wait do so at one of two events, by turns.
//
// source: A. Malkis, A. Banerjee, "Verification of Software Barriers", section 7
//
// expect: sc verified -DN=2 -DK=4
// expect: sc verified -DN=3 -DK=2
// expect: sc verified engine=states -DN=4 -DK=4
// expect: tso verified -DN=2 -DK=2
// expect: rc11 verified -DN=2 -DK=2
// expect: sc verified -DN=2 -DK=2 -DMUTANT=SET_FIRST
// expect: sc violated assertion -DN=2 -DK=3 -DMUTANT=SET_FIRST
// expect: sc verified -DN=2 -DK=2 -DMUTANT=NO_RESET
// expect: sc violated assertion -DN=2 -DK=3 -DMUTANT=NO_RESET
// expect: sc violated non-termination -DN=2 -DK=1 -DMUTANT=BLIND
// expect: sc violated assertion -DN=2 -DK=1 -DMUTANT=NO_WAIT
// expect: sc violated assertion -DN=2 -DK=2 -DMUTANT=PHASE_LATE
// expect: sc verified -DN=2 -DK=1 -DMUTANT=SET_FIRST
// expect: sc verified -DN=2 -DK=1 -DMUTANT=NO_RESET
// expect: sc verified errors=assertion -DN=2 -DK=1 -DMUTANT=BLIND
// expect: pso verified -DN=2
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define SET_FIRST 1     // the next event is set before the other one is reset
#define NO_RESET 2      // events stay set
#define BLIND 3         // the word is written without a look at what it is
#define NO_WAIT 4
#define PHASE_LATE 5    // the phase is counted after the others were woken
#ifndef MUTANT
#define MUTANT 0
#endif

#define TOTAL(word) ((int)((word) & 0x7fff))
#define ARRIVED(word) ((int)((word) >> 16 & 0x7fff))
#define SENSE(word) ((word) >> 31 != 0)
#define WORD(arrived, total, sense) ((unsigned)(sense) << 31 | (unsigned)(arrived) << 16 | (unsigned)(total))

static atomic_uint state = WORD(0, N, true);
static atomic_int phase;
static atomic_bool odd_set, even_set;

static bool change(unsigned from, unsigned to)
{
    if (MUTANT == BLIND) {
        atomic_store(&state, to);
        return true;
    }
    return atomic_compare_exchange_strong(&state, &from, to);
}

static void wake(bool sense)
{
    atomic_bool *old = sense ? &odd_set : &even_set, *new = sense ? &even_set : &odd_set;
    if (MUTANT != PHASE_LATE)
        atomic_fetch_add(&phase, 1);
    if (MUTANT == SET_FIRST)
        atomic_store(new, true);
    if (MUTANT != NO_RESET)
        atomic_store(old, false);
    if (MUTANT != SET_FIRST)
        atomic_store(new, true);
    if (MUTANT == PHASE_LATE)
        atomic_fetch_add(&phase, 1);
}

static void barrier(int id)
{
    bool sense;
    (void)id;
    for (;;) {
        unsigned word = atomic_load(&state);
        int arrived = ARRIVED(word), total = TOTAL(word);
        sense = SENSE(word);
        assert(total > 0);
        // Nobody comes into an episode before the phase of the last one was counted.
        if (arrived == 0) {
            bool is_even = atomic_load(&phase) % 2 == 0;
            if (atomic_load(&state) == word)
                assert(sense == is_even);
        }
        if (arrived + 1 == total) {
            if (change(word, WORD(0, total, !sense))) {
                wake(sense);
                return;
            }
        } else if (change(word, WORD(arrived + 1, total, sense))) {
            break;
        }
    }
    while (MUTANT != NO_WAIT && !atomic_load(sense ? &even_set : &odd_set))
        ;
}

#include "client.h"
