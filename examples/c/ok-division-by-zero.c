// An average that is taken from one consistent look at the count.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count = 1, sum = 10, average;

static void *first(void *arg)
{
    (void)arg;
    atomic_store(&count, 0);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    int n = atomic_load(&count);
    if (n != 0)
        atomic_store(&average, atomic_load(&sum) / n);
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
