// A sense-reversing barrier that flips the sense with a relaxed store: the threads let go do not see what
// the last one wrote before it, and rc11 finds them reading its cell in a race. Under rc11 the reset of the
// count may also be missed.
//
// source: D. Hensgen, R. Finkel, U. Manber, "Two Algorithms for Barrier Synchronization", IJPP 17(1), 1988;
//         J. M. Mellor-Crummey, M. L. Scott, ACM TOCS 9(1), 1991, section 3.1
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int remaining = N;
static atomic_bool sense;
static int cell[N];

static void barrier(bool *my_sense)
{
    *my_sense = !*my_sense;
    if (atomic_fetch_sub_explicit(&remaining, 1, memory_order_acq_rel) == 1) {
        atomic_store_explicit(&remaining, N, memory_order_relaxed);
        atomic_store_explicit(&sense, *my_sense, memory_order_relaxed);
    } else {
        while (atomic_load_explicit(&sense, memory_order_acquire) != *my_sense)
            ;
    }
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    bool my_sense = false;
    cell[me] = 1;
    barrier(&my_sense);
    int seen = cell[(me + 1) % N];
    barrier(&my_sense);
    cell[me] = 2;
    assert(seen == 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
