// The CLH queue lock with a relaxed exchange: whoever comes next knows the node, but need not see that it is
// busy. Only weak memory shows it; `selvedge fix` asks for `acq_rel`, as the right version has it.
//
// source: T. S. Craig, "Building FIFO and Priority-Queuing Spin Locks from Atomic Swap", Univ. of
//         Washington TR 93-02-02, 1993; P. Magnusson, A. Landin, E. Hagersten, "Queue Locks on Cache
//         Coherent Multiprocessors", IPPS 1994
// expect: sc verified
// expect: tso verified
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#include <stdbool.h>

struct clh_node {
    atomic_bool busy;
};

struct context {
    struct clh_node first;
    struct clh_node *mine, *before;
};

static struct clh_node free_node;
static _Atomic(struct clh_node *) tail = &free_node;

static void lock(struct context *me)
{
    atomic_store_explicit(&me->mine->busy, true, memory_order_relaxed);
    me->before = atomic_exchange_explicit(&tail, me->mine, memory_order_relaxed);
    while (atomic_load_explicit(&me->before->busy, memory_order_acquire))
        ;
}

static void unlock(struct context *me)
{
    atomic_store_explicit(&me->mine->busy, false, memory_order_release);
    me->mine = me->before; // nobody else looks at it any more
}

static int count;

static void *worker(void *arg)
{
    struct context *me = arg;
    me->mine = &me->first;
    for (int i = 0; i < 2; i++) {
        lock(me);
        count++;
        unlock(me);
    }
    return NULL;
}

int main(void)
{
    static struct context contexts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &contexts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == 2 * N);
    return 0;
}
