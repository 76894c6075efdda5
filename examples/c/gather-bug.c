// As gather.c, but a worker that finds itself to be waited for, and a moment later not any more, takes the wait to
// be over. It was only looked whether it is.
//
// expect: sc violated assertion line=31
// expect: tso violated assertion line=31
// expect: rc11 violated assertion line=31
// unroll: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#define WAITED_FOR 0x10000

static atomic_int counter;
static atomic_bool over;

static void *worker(void *arg)
{
    (void)arg;
    bool before = atomic_load(&counter) >= WAITED_FOR;
    bool after = atomic_load(&counter) >= WAITED_FOR;
    if (before && !after)
        atomic_store(&over, true);
    atomic_fetch_add(&counter, 1);
    // Nobody can be done before this thread has announced itself.
    assert(!over);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    while (atomic_fetch_add(&counter, WAITED_FOR) != N)
        atomic_fetch_sub(&counter, WAITED_FOR);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
