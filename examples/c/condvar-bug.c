// A consumer that looks only once: a wait that ends without a signal, which POSIX allows, lets it read a
// slot that nobody has filled. Every model shows it.
//
// source: POSIX, pthread_cond_wait, on spurious wake-ups
// expect: sc violated assertion line=35
// expect: tso violated assertion line=35
// expect: rc11 violated assertion line=35
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
    if (!full)
        pthread_cond_wait(&filled, &mutex);
    assert(slot == 42);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
