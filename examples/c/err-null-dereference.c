// A reader that counts on the pointer having been published before it runs.
// expect: sc violated null-dereference line=22
// expect: tso violated null-dereference line=22
// expect: rc11 violated null-dereference line=22
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
