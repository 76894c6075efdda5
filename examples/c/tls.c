// Thread-local variables: each thread counts in its own copy, which starts from the initialiser and not
// from what another thread has in it.
//
// source: ISO/IEC 9899:2011, 6.2.4, _Thread_local
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static _Thread_local int calls = 10;
static int results[N];

static void *worker(void *arg)
{
    int *result = arg;
    calls++;
    calls++;
    *result = calls;
    return NULL;
}

int main(void)
{
    calls = 20;
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &results[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        assert(results[i] == 12);
    assert(calls == 20);
    return 0;
}
