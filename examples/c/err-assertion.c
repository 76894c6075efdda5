// Store buffering with relaxed accesses: both threads may miss the other's write, except under sc.
// expect: sc verified
// expect: tso violated assertion line=35
// expect: rc11 violated assertion line=35
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *first(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    saw_y = atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    saw_x = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(saw_x || saw_y);
    return 0;
}
