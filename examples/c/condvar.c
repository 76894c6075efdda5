// A producer and a consumer with a mutex and a condition variable. The consumer looks again after every
// wake-up, because the wait may end without a signal.
//
// source: POSIX, pthread_cond_wait
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static bool full;
static int slot;

static void *producer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    slot = 42;
    full = true;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    pthread_mutex_lock(&mutex);
    while (!full)
        pthread_cond_wait(&filled, &mutex);
    assert(slot == 42);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
