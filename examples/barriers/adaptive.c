// An adaptive combining tree: whoever comes first to a node of the tree takes it and waits there, and takes the node out of
// the way of those who are still to come from its other side: they are one step nearer to the root. Whoever finds no free
// node on the way up is the last, and wakes the one that waits at the root; who is woken wakes those at the two nodes below.
// There are three trees, by turns: one in use, one that some may still be leaving, one that is made ready for the next time.
//
// source: R. Gupta, C. R. Hill, "A Scalable Implementation of Barrier Synchronization Using an Adaptive Combining Tree",
//         IJPP 18(3), 1989; M. L. Scott, J. M. Mellor-Crummey, "Fast, Contention-Free Combining Tree Barriers for
//         Shared-Memory Multiprocessors", IJPP 22(4), 1994
//
// expect: sc verified -DN=2 -DK=4
// expect: sc verified -DN=3 -DK=2
// expect: sc verified -DN=4 -DK=1
// expect: tso verified -DN=3 -DK=1
// expect: rc11 verified -DN=3 -DK=1
// expect: sc violated non-termination -DN=2 -DK=1 -DMUTANT=TORN
// expect: sc violated assertion -DN=2 -DK=1 -DMUTANT=NO_WAIT
// expect: sc violated non-termination -DN=3 -DK=1 -DMUTANT=NO_WAKE_BELOW
// expect: sc verified -DN=2 -DK=1 -DMUTANT=TOO_FAR
// expect: sc violated assertion errors=assertion -DN=3 -DK=1 -DMUTANT=TOO_FAR
// expect: sc verified -DN=2 -DK=3 -DMUTANT=NO_RESET
// expect: sc violated assertion -DN=2 -DK=4 -DMUTANT=NO_RESET
// expect: rc11 violated assertion -DN=2 -DK=1 -DMUTANT=RELAXED
// expect: pso verified -DN=2
#include <stdatomic.h>
#include <stdbool.h>

#ifndef N
#define N 2
#endif
#ifndef K
#define K 3
#endif

#define TORN 1          // taking a node is two steps
#define NO_WAIT 2       // who has taken a node goes on
#define NO_WAKE_BELOW 3 // who is woken wakes nobody
#define TOO_FAR 4       // those from the other side skip one more node, which nobody has taken
#define NO_RESET 5      // trees are not made ready for the next time
#define RELAXED 6       // being woken does not publish anything
#ifndef MUTANT
#define MUTANT 0
#endif

#include "tree.h"

#define NONE (-1)
#define TREES 3

static atomic_int up[TREES][NODES];   // where to go on from a node; one more than its number, 0 for what it was at first
static atomic_int taken[TREES][N];    // who waits at an inner node: one more than its number, 0 for nobody
static atomic_bool woken[TREES][N];
static _Thread_local int turn;

static int depth(int node)
{
    int d = 0;
    for (; node > 0; node = parent(node))
        d++;
    return node == NONE ? NONE : d;
}

static int above(int tree, int node)
{
    int where = atomic_load(&up[tree][node]);
    if (where)
        return where - 2;
    return node == 0 ? NONE : parent(node);
}

static bool take(int tree, int node, int id)
{
    int nobody = 0;
    if (MUTANT != TORN)
        return atomic_compare_exchange_strong(&taken[tree][node], &nobody, id + 1);
    if (atomic_load(&taken[tree][node]))
        return false;
    atomic_store(&taken[tree][node], id + 1);
    return true;
}

// Those who come from the other side of a node go past it. Somebody may have sent them farther already.
static void adapt(int tree, int node, int from)
{
    int other = from == left(node) ? right(node) : left(node), next = above(tree, node);
    if (MUTANT == TOO_FAR && next != NONE)
        next = above(tree, next);
    int where = atomic_load(&up[tree][other]);
    while (depth(where ? where - 2 : node) > depth(next))
        if (atomic_compare_exchange_strong(&up[tree][other], &where, next + 2))
            break;
}

static void wake(int tree, int node)
{
    int who = node < INNER ? atomic_load(&taken[tree][node]) : 0;
    if (who)
        atomic_store_explicit(&woken[tree][who - 1], true,
                              MUTANT == RELAXED ? memory_order_relaxed : memory_order_release);
}

static void make_ready(int tree, int id)
{
    if (MUTANT == NO_RESET)
        return;
    atomic_store(&up[tree][leaf(id)], 0);
    if (id < INNER) {
        atomic_store(&up[tree][id], 0);
        atomic_store(&taken[tree][id], 0);
    }
    atomic_store(&woken[tree][id], false);
}

static void barrier(int id)
{
    int tree = turn, from = leaf(id);
    turn = (turn + 1) % TREES;
    make_ready(turn, id);
    for (;;) {
        // The node of the tree that `from` is below: links lead past nodes, not around them.
        int node = above(tree, from);
        if (node == NONE) {
            wake(tree, 0);
            return;
        }
        if (take(tree, node, id)) {
            int child = from;
            while (parent(child) != node)
                child = parent(child);
            adapt(tree, node, child);
            while (MUTANT != NO_WAIT && !atomic_load_explicit(&woken[tree][id], memory_order_acquire))
                ;
            if (MUTANT != NO_WAKE_BELOW) {
                wake(tree, left(node));
                wake(tree, right(node));
            }
            return;
        }
        from = node;
    }
}

#include "client.h"
