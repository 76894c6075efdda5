// Message passing with a relaxed flag: rc11 lets the reader see the flag and miss the message, which is
// atomic here, so that the stale value itself is the error and not a race.
//
// source: the litmus test MP
// expect: sc verified
// expect: tso verified
// expect: rc11 violated assertion line=28
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int message, flag;

static void *sender(void *arg)
{
    (void)arg;
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sender, NULL);
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        ;
    assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
    pthread_join(thread, NULL);
    return 0;
}
