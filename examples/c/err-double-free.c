// Two threads free a buffer if it is still there, and say that it is gone too late.
// expect: sc violated double-free line=14
// expect: tso violated double-free line=14
// expect: rc11 violated double-free line=14
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void release(void)
{
    char *p = atomic_load(&buffer);
    free(p);
    atomic_store(&buffer, NULL);
}

static void *first(void *arg)
{
    (void)arg;
    release();
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    release();
    return NULL;
}

int main(void)
{
    atomic_init(&buffer, malloc(16));
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
