// A thread waits for a flag that is raised and lowered again: if it does not look in between, it waits for
// ever.
// expect: sc violated non-termination
// expect: tso violated non-termination
// expect: rc11 violated non-termination
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *first(void *arg)
{
    (void)arg;
    atomic_store(&flag, 1);
    atomic_store(&flag, 0);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    while (!atomic_load(&flag))
        ;
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
