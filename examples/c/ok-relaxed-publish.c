// A heap object is published with a release store and used after an acquire load.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(int *) box;

static void *first(void *arg)
{
    (void)arg;
    int *p = malloc(sizeof *p);
    if (p == NULL)
        abort();
    *p = 42;
    atomic_store_explicit(&box, p, memory_order_release);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    int *p = atomic_load_explicit(&box, memory_order_acquire);
    if (p != NULL && *p != 42)
        abort();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(atomic_load(&box));
    return 0;
}
