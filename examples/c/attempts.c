// A thread that tries a limited number of times before it does something else: it polls a flag, and takes
// the slow way if that stays unset. How often it has polled makes no difference, so there are two outcomes
// for each waiting thread, whatever the limit.
//
// N threads wait, one sets the flag: 2^N executions. With `--disable attempts` there are LIMIT + 1 for each
// of them, one for every attempt that may be the first to succeed.
//
// expect: sc verified executions=4
// expect: tso verified executions=4
// expect: rc11 verified executions=4
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#ifndef LIMIT
#define LIMIT 100
#endif

static atomic_int flag;
static int message;

static int is_set_soon(void)
{
    for (int attempt = 0; attempt < LIMIT; attempt++) {
        if (atomic_load_explicit(&flag, memory_order_acquire))
            return 1;
        sched_yield();
    }
    return 0;
}

static void *waiter(void *arg)
{
    if (is_set_soon())
        assert(message == 42);
    else
        atomic_store_explicit((atomic_int *)arg, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    static atomic_int slow[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, waiter, &slow[i]);
    message = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
