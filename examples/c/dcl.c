// Double-checked locking: look whether the object is there without the lock, and only if it is not take
// the lock and look again. The first look must acquire what the creator released.
//
// source: D. C. Schmidt, T. Harrison, "Double-Checked Locking", PLoP 1996; D. Bacon et al., "The
//         Double-Checked Locking is Broken Declaration", 2000
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    struct config *c = atomic_load_explicit(&config, memory_order_acquire);
    if (c == NULL) {
        pthread_mutex_lock(&mutex);
        c = atomic_load_explicit(&config, memory_order_relaxed);
        if (c == NULL) {
            c = &storage;
            c->size = 42;
            atomic_store_explicit(&config, c, memory_order_release);
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
