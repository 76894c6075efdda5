// An object with a reference count that is dropped before the last use: the other thread may free it in
// between.
// expect: sc violated use-after-free
// expect: tso violated use-after-free
// expect: rc11 violated use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    atomic_int references;
    atomic_int value;
};

static struct object *object;

static void drop(void)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
        free(object);
}

static void *first(void *arg)
{
    (void)arg;
    drop();
    atomic_fetch_add(&object->value, 1);
    return NULL;
}

static void *second(void *arg)
{
    (void)arg;
    atomic_fetch_add(&object->value, 1);
    drop();
    return NULL;
}

int main(void)
{
    object = malloc(sizeof *object);
    if (object == NULL)
        abort();
    atomic_init(&object->references, 2);
    atomic_init(&object->value, 0);
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
