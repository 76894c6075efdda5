// A spin lock of one word next to a pthread mutex, each with a counter of its own: both must make
// the increments exclusive and visible.
//
// source: textbook compare-and-swap lock; POSIX, pthread_mutex_lock
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    atomic_store_explicit(&taken, 0, memory_order_release);
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
