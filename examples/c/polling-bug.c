// As polling.c, but what is waited for is announced before it is there, in a critical section of its own.
//
// expect: sc violated assertion line=30
// expect: tso violated assertion line=30
// expect: rc11 violated assertion line=30
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool ready;
static int data;

static void *consumer(void *arg)
{
    (void)arg;
    for (;;) {
        pthread_mutex_lock(&lock);
        if (ready)
            break;
        pthread_mutex_unlock(&lock);
    }
    int seen = data;
    pthread_mutex_unlock(&lock);
    assert(seen == 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, consumer, NULL);
    pthread_mutex_lock(&lock);
    ready = true;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    data = 42;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
