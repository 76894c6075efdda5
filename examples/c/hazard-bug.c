// Hazard pointers without the fence between writing the hazard pointer and looking again: the second look
// can be answered while the write is still in the store buffer, and the writer finds no hazard. tso is
// weak enough for this use after free.
//
// source: M. M. Michael, "Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects", IEEE TPDS
//         15(6), 2004, on the fence
// expect: sc verified
// expect: tso violated use-after-free
// expect: rc11 violated use-after-free
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct object {
    int value;
};

static _Atomic(struct object *) current;
static _Atomic(struct object *) hazard;

static struct object *new_object(int value)
{
    struct object *object = malloc(sizeof *object);
    if (object == NULL)
        abort();
    object->value = value;
    return object;
}

static struct object *protect(void)
{
    struct object *object = atomic_load_explicit(&current, memory_order_acquire);
    for (;;) {
        atomic_store_explicit(&hazard, object, memory_order_relaxed);
        struct object *again = atomic_load_explicit(&current, memory_order_acquire);
        if (again == object)
            return object;
        object = again;
    }
}

static void *reader(void *arg)
{
    (void)arg;
    struct object *object = protect();
    int value = object->value;
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    assert(value == 1 || value == 2);
    return NULL;
}

int main(void)
{
    atomic_init(&current, new_object(1));
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);

    struct object *old = atomic_exchange_explicit(&current, new_object(2), memory_order_acq_rel);
    atomic_thread_fence(memory_order_seq_cst);
    struct object *in_use = atomic_load_explicit(&hazard, memory_order_acquire);
    if (in_use != old)
        free(old); // otherwise it would go on a list for later

    pthread_join(thread, NULL);
    if (in_use == old)
        free(old);
    free(atomic_load(&current));
    return 0;
}
