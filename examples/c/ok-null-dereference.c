// A reader that looks whether the pointer has been published.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>

static int value = 42;
static _Atomic(int *) published;

static void *first(void *arg)
{
    (void)arg;
    atomic_store(&published, &value);
    return NULL;
}

static void *second(void *arg)
{
    int *result = arg;
    int *p = atomic_load(&published);
    if (p != NULL)
        *result = *p;
    return NULL;
}

int main(void)
{
    int result = 0;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, &result);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return result != 0 && result != 42;
}
