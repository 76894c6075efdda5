// A thread waits for a flag that is raised and stays up.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *first(void *arg)
{
    (void)arg;
    atomic_store(&flag, 1);
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
