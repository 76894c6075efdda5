// relock(N): N threads wait for a flag that a mutex guards: who does not find it set gives the mutex up
// and takes it again. Some of them look before the flag is set, in some order (N!/(N - k)! for k of them),
// and then all leave, in any order: N! times the sum of these, 96 executions for three threads and 1,560
// for four. Looking again without anything new to see is no execution of its own.
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready, passed;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!ready) {
        pthread_mutex_unlock(&mutex);
        sched_yield();
        pthread_mutex_lock(&mutex);
    }
    passed++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(passed == N);
    return 0;
}
