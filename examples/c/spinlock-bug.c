// The spin lock cleared with a relaxed store: it still excludes, but the next holder does not see what
// the last one wrote. The mutex next to it is fine. Only rc11 shows it.
//
// source: textbook compare-and-swap lock; POSIX, pthread_mutex_lock
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int taken;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int under_mutex;

static void lock(void)
{
    int expected = 0;
    while (!atomic_compare_exchange_strong_explicit(&taken, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed))
        expected = 0;
}

static void unlock(void)
{
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
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
