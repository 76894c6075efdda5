// A thread that expects to inherit the value which its creator has put into a thread-local variable. It
// gets a fresh copy. Every model shows it.
//
// source: ISO/IEC 9899:2011, 6.2.4, _Thread_local
// expect: sc violated assertion line=37
// expect: tso violated assertion line=37
// expect: rc11 violated assertion line=37
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
        assert(results[i] == 22);
    assert(calls == 20);
    return 0;
}
