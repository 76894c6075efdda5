// The first thread that has left the barrier may destroy it, and make a new one of it.
// expect: sc verified executions=1
// expect: tso verified executions=1
// expect: rc11 verified executions=1
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>

static pthread_barrier_t barrier;

static void meet(void)
{
    int result = pthread_barrier_wait(&barrier);
    if (result != 0 && result != PTHREAD_BARRIER_SERIAL_THREAD)
        abort();
}

static void *worker(void *arg)
{
    (void)arg;
    meet();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 3);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    meet();
    pthread_barrier_destroy(&barrier);
    pthread_barrier_init(&barrier, NULL, 1);
    meet();
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
