// Szymanski's mutual exclusion, in the shape of szymanski-counted.c, with release and acquire accesses: no
// thread need see the other's flag in time, and both enter. tso shows the foreign number inside, rc11 the
// race on it.
//
// source: B. K. Szymanski, "A Simple Solution to Lamport's Concurrent Programming Problem with Linear
//         Wait", ICS 1988
// expect: sc verified
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: tso violated assertion line=40 no-races
#include <assert.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 1
#endif

static atomic_int flag[2];
static int inside;

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg, other = 1 - me;
    for (int i = 0; i < N; i++) {
        atomic_store_explicit(&flag[me], 1, memory_order_release);
        selvedge_assume(atomic_load_explicit(&flag[other], memory_order_acquire) < 3);
        atomic_store_explicit(&flag[me], 3, memory_order_release);
        if (atomic_load_explicit(&flag[other], memory_order_acquire) == 1) {
            atomic_store_explicit(&flag[me], 2, memory_order_release);
            selvedge_assume(atomic_load_explicit(&flag[other], memory_order_acquire) == 4);
        }
        atomic_store_explicit(&flag[me], 4, memory_order_release);
        selvedge_assume(atomic_load_explicit(&flag[other], memory_order_acquire) < 2);

        inside = me;
#ifdef __SELVEDGE__ // elsewhere, the assumptions do nothing
        assert(inside == me);
#endif

        int state = atomic_load_explicit(&flag[other], memory_order_acquire);
        selvedge_assume(state != 2 && state != 3);
        atomic_store_explicit(&flag[me], 0, memory_order_release);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
