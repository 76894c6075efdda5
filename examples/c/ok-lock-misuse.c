// A mutex is unlocked only by a thread that got it.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    if (pthread_mutex_trylock(&mutex) == 0) {
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
