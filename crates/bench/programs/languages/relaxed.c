// Three threads that store and load.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *run(void *number)
{
    atomic_store_explicit(&x, (int)(long)number, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, run, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
