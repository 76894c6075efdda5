// Szymanski's mutual exclusion for two threads, N rounds each: a waiting room whose door closes behind
// those who came together; they leave it in the order of their numbers.
//
// szymanski-counted.c has the variant that the published counts belong to.
//
// source: B. K. Szymanski, "A Simple Solution to Lamport's Concurrent Programming Problem with Linear
//         Wait", ICS 1988
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int flag[2];
static int count;

static void lock(int me)
{
    int other = 1 - me;
    atomic_store(&flag[me], 1); // wants to enter
    while (atomic_load(&flag[other]) >= 3)
        ;
    atomic_store(&flag[me], 3); // in the doorway
    if (atomic_load(&flag[other]) == 1) {
        atomic_store(&flag[me], 2); // waits for those who want to enter, too
        while (atomic_load(&flag[other]) != 4)
            ;
    }
    atomic_store(&flag[me], 4); // the door is closed behind
    if (me == 1)
        while (atomic_load(&flag[other]) >= 2)
            ;
}

static void unlock(int me)
{
    if (me == 0)
        for (;;) {
            int state = atomic_load(&flag[1]);
            if (state != 2 && state != 3)
                break;
        }
    atomic_store(&flag[me], 0);
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < N; i++) {
        lock(me);
        count++;
        unlock(me);
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
    assert(count == 2 * N);
    return 0;
}
