// Dekker's mutual exclusion for two threads, N rounds each: who finds the other's flag raised and does not
// have the turn lowers its own and waits. The accesses are sequentially consistent; the fences after
// raising the flag are the ones that weaker accesses would need.
//
// A round of the outer loop in which the turn is ours changes nothing: it waits for the other flag.
//
// source: E. W. Dijkstra, "Cooperating Sequential Processes", EWD 123, 1965, who credits T. J. Dekker
// published: dekker_f(2) 71, dekker_f(3) 1344, dekker_f(4) 26797 executions; the same here
// expect: sc verified executions=71
// expect: tso verified executions=71
// expect: rc11 verified executions=71
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static atomic_int flag[2];
static atomic_int turn;
static int count;

static void lock(int me)
{
    int other = 1 - me;
    atomic_store(&flag[me], 1);
    atomic_thread_fence(memory_order_seq_cst);
    while (atomic_load(&flag[other])) {
        if (atomic_load(&turn) != me) {
            atomic_store(&flag[me], 0);
            while (atomic_load(&turn) != me)
                ;
            atomic_store(&flag[me], 1);
            atomic_thread_fence(memory_order_seq_cst);
        }
    }
}

static void unlock(int me)
{
    atomic_store(&turn, 1 - me);
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
