// Store buffering with sequentially consistent accesses: one of the two threads sees the other.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int saw_x, saw_y;

static void *first(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_seq_cst);
    saw_y = atomic_load_explicit(&y, memory_order_seq_cst);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    atomic_store_explicit(&y, 1, memory_order_seq_cst);
    saw_x = atomic_load_explicit(&x, memory_order_seq_cst);
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
