// The barrier is destroyed by a thread that is not among those that meet at it.
// expect: sc violated barrier-misuse
// expect: tso violated barrier-misuse
// expect: rc11 violated barrier-misuse
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

static pthread_barrier_t barrier;

static void *worker(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
