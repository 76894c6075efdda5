// Two threads add to a plain counter, one of them without the mutex. sc and tso have no notion of a race;
// nothing is asserted about the value.
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *first(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    counter++;
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
