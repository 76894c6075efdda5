// An average that looks at the count twice: it can become zero in between.
// expect: sc violated division-by-zero line=21
// expect: tso violated division-by-zero line=21
// expect: rc11 violated division-by-zero line=21
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
    if (atomic_load(&count) != 0)
        atomic_store(&average, atomic_load(&sum) / atomic_load(&count));
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
