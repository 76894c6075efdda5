// The combining tree as it is printed: a thread climbs from its leaf as long as it is the last to come to a node, leaving
// a mark at each; whoever gets to the root goes back down along the marks and wakes the others. For one episode: used
// again it deadlocks with two threads, and fails with four.
//
// source: A. Malkis, A. Banerjee, "Verification of Software Barriers", section 5.2
//
// expect: sc verified -DN=2
// expect: sc verified -DN=3
// expect: sc verified -DN=2 -DCHAIN
// expect: sc verified -DN=3 -DCHAIN
// expect: sc verified -DN=4
// expect: sc violated non-termination -DN=2 -DK=2
// expect: sc violated assertion errors=assertion -DN=4 -DK=2
// expect: sc violated non-termination -DN=2 -DMUTANT=SPLIT_MARK
// expect: sc violated non-termination -DN=2 -DMUTANT=TORN
// expect: sc violated non-termination -DN=2 -DMUTANT=NO_ASCENT
// expect: sc violated non-termination -DN=2 -DMUTANT=NO_FLIP
// expect: sc violated assertion -DN=2 -DMUTANT=ALL_ASCEND
// expect: sc violated assertion -DN=2 -DMUTANT=NO_SLEEP
// expect: sc verified -DN=2 -DMUTANT=NO_RESET
// expect: sc violated non-termination -DN=2 -DMUTANT=NO_RESET -DK=2
// expect: tso verified -DN=2
// expect: rc11 verified -DN=2
// expect: sc verified -DN=4 -DCHAIN
// expect: sc verified errors=assertion -DN=2 -DMUTANT=SPLIT_MARK
// expect: sc verified errors=assertion -DN=2 -DMUTANT=TORN
// expect: sc verified errors=assertion -DN=2 -DMUTANT=NO_ASCENT
// expect: sc verified errors=assertion -DN=2 -DMUTANT=NO_FLIP
// expect: pso verified -DN=2
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif

#define SPLIT_MARK 1    // a mark is read and taken away in two steps
#define TORN 2          // counting is two steps
#define NO_ASCENT 3     // nobody climbs on
#define ALL_ASCEND 4    // everybody does
#define NO_FLIP 5       // nobody is woken
#define NO_SLEEP 6
#define NO_RESET 7      // counts are not set back
#ifndef MUTANT
#define MUTANT 0
#endif

#include "tree.h"

enum { LEFT = 1, RIGHT = 2 };

static atomic_int arrivals[NODES]; // how many have come to a node
static atomic_bool locksense[NODES];
static atomic_int marks[NODES];
static _Thread_local bool down; // the opposite of what the sense of a thread is

static bool is_last(int node)
{
    int before;
    if (MUTANT == TORN) {
        before = atomic_load(&arrivals[node]);
        atomic_store(&arrivals[node], before + 1);
    } else {
        before = atomic_fetch_add(&arrivals[node], 1);
    }
    return MUTANT == ALL_ASCEND || (MUTANT != NO_ASCENT && before + 1 == children(node));
}

// Takes a mark away, the right one first, and says which one it was.
static int take_mark(int node)
{
    int found = atomic_load(&marks[node]), taken;
    do {
        taken = found & RIGHT ? RIGHT : found & LEFT;
        if (MUTANT == SPLIT_MARK) {
            atomic_store(&marks[node], found & ~taken);
            break;
        }
    } while (taken && !atomic_compare_exchange_strong(&marks[node], &found, found & ~taken));
    return taken;
}

static void barrier(int id)
{
    int node = leaf(id), mark;
    bool at_root = false;
    for (;;) {
        if (node == 0) {
            at_root = true;
            break;
        }
        atomic_fetch_or(&marks[parent(node)], node == left(parent(node)) ? LEFT : RIGHT);
        node = parent(node);
        if (!is_last(node))
            break;
    }
    for (;;) {
        if (at_root) {
            if (MUTANT != NO_RESET)
                atomic_store(&arrivals[node], 0);
            if (MUTANT != NO_FLIP)
                atomic_store(&locksense[node], !atomic_load(&locksense[node]));
        }
        while (MUTANT != NO_SLEEP && atomic_load(&locksense[node]) != !down)
            ;
        mark = take_mark(node);
        if (!mark)
            break;
        node = mark == RIGHT ? right(node) : left(node);
        at_root = true;
    }
    down = !down;
}

#include "client.h"
