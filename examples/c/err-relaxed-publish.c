// A heap object is published with a relaxed store. A thread that sees the pointer has not synchronised with
// the thread that allocated and filled the object: its read of the value races with the initialisation
// (and not even the allocation is visible to it). sc and tso keep the writes in order.
//
// source: M. Kokologiannakis, "Automated Reasoning under Weak Memory Consistency", 2023, section 9.2.3.4
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated unpublished-object
// expect: sc verified no-races
// expect: tso verified no-races
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
    atomic_store_explicit(&box, p, memory_order_relaxed);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    int *p = atomic_load_explicit(&box, memory_order_relaxed);
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
