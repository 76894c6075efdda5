// A thread hands over a pointer into the middle of a buffer, and the receiver frees that.
// expect: sc violated invalid-free
// expect: tso violated invalid-free
// expect: rc11 violated invalid-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) handed;

static void *first(void *arg)
{
    (void)arg;
    char *buffer = malloc(16);
    if (buffer == NULL)
        abort();
    atomic_store(&handed, buffer + 8);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    free(atomic_exchange(&handed, NULL));
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(atomic_load(&handed));
    return 0;
}
