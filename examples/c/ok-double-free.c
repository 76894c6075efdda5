// Two threads want to free a buffer; the exchange gives the pointer to one of them only.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void release(void)
{
    char *p = atomic_exchange(&buffer, NULL);
    free(p);
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
