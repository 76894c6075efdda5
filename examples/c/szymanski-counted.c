// Szymanski's mutual exclusion as the published counts have it: both threads wait for the other one before
// they enter and before they leave, without regard to their numbers. That can leave both waiting for each
// other, so the waits are assumptions and such executions count as blocked.
//
// source: B. K. Szymanski, "A Simple Solution to Lamport's Concurrent Programming Problem with Linear
//         Wait", ICS 1988
// published: szymanski(1) 6, szymanski(2) 78, szymanski(3) 1068 executions
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
        atomic_store(&flag[me], 1);
        selvedge_assume(atomic_load(&flag[other]) < 3);
        atomic_store(&flag[me], 3);
        if (atomic_load(&flag[other]) == 1) {
            atomic_store(&flag[me], 2);
            selvedge_assume(atomic_load(&flag[other]) == 4);
        }
        atomic_store(&flag[me], 4);
        selvedge_assume(atomic_load(&flag[other]) < 2);

        inside = me;
#ifdef __SELVEDGE__ // elsewhere, the assumptions do nothing
        assert(inside == me);
#endif

        int state = atomic_load(&flag[other]);
        selvedge_assume(state != 2 && state != 3);
        atomic_store(&flag[me], 0);
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
