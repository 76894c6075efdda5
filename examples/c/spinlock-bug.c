// The spin lock cleared with a relaxed store: it still excludes, but the next holder does not see what
// the last one wrote. The mutex next to it is fine. Only rc11 shows it.
//
// source: ISO/IEC 9899:2011, 7.17.8, the example of atomic_flag as a spin lock; POSIX, pthread_mutex_lock
// expect: sc verified
// expect: tso verified
// expect: rc11 violated data-race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_flag taken = ATOMIC_FLAG_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int under_mutex;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_relaxed);
}

static int count;

static void *worker(void *arg)
{
    (void)arg;
    lock();
    count++;
    unlock();

    pthread_mutex_lock(&mutex);
    under_mutex++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    static int contexts[N];
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &contexts[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N && under_mutex == N);
    return 0;
}
