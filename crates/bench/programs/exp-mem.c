// exp-mem(N): N threads increment a counter; one that waits for all of them raises a flag, which one looks at
// at any time: 2 N! executions, and a trap for algorithms that remember their revisits, since the flag's write
// has N! different pasts.
// exp-mem2(N), -DPLAIN: the same without read-modify-writes, and twice side by side: N threads write a
// variable, one that waits for them writes it once more, one reads it: (N! (N + 2))^2.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 4
#endif
#ifdef PLAIN
#define SIDES 2
#else
#define SIDES 1
#endif

static atomic_int counter[SIDES], flag[SIDES];
static pthread_t workers[SIDES][N];

static void *reader(void *arg)
{
    int side = (int)(intptr_t)arg;
#ifdef PLAIN
    atomic_load(&counter[side]);
#else
    atomic_load(&flag[side]);
#endif
    return NULL;
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
#ifdef PLAIN
    atomic_store(&counter[me / N], me % N + 1);
#else
    atomic_fetch_add(&counter[me / N], 1);
#endif
    return NULL;
}

static void *collector(void *arg)
{
    int side = (int)(intptr_t)arg;
    for (int i = 0; i < N; i++)
        pthread_join(workers[side][i], NULL);
#ifdef PLAIN
    atomic_store(&counter[side], -1);
#else
    atomic_store(&flag[side], 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t readers[SIDES], collectors[SIDES];

    for (int side = 0; side < SIDES; side++)
        pthread_create(&readers[side], NULL, reader, (void *)(intptr_t)side);
    for (int side = 0; side < SIDES; side++) {
        for (int i = 0; i < N; i++)
            pthread_create(&workers[side][i], NULL, worker, (void *)(intptr_t)(side * N + i));
        pthread_create(&collectors[side], NULL, collector, (void *)(intptr_t)side);
    }
    for (int side = 0; side < SIDES; side++) {
        pthread_join(readers[side], NULL);
        pthread_join(collectors[side], NULL);
    }
    return 0;
}
