// Double-checked locking as it was first written: the object is published by a plain-looking write. A
// thread that finds it on the first look has not synchronised with the creator, and reads a member that it
// need not see initialised. Stores stay in order under sc and tso.
//
// source: D. Bacon et al., "The Double-Checked Locking is Broken Declaration", 2000
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

struct config {
    int size;
};

static struct config storage;
static _Atomic(struct config *) config;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct config *get_config(void)
{
    struct config *c = atomic_load_explicit(&config, memory_order_relaxed);
    if (c == NULL) {
        pthread_mutex_lock(&mutex);
        c = atomic_load_explicit(&config, memory_order_relaxed);
        if (c == NULL) {
            c = &storage;
            c->size = 42;
            atomic_store_explicit(&config, c, memory_order_relaxed);
        }
        pthread_mutex_unlock(&mutex);
    }
    return c;
}

static void *user(void *arg)
{
    (void)arg;
    assert(get_config()->size == 42);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
