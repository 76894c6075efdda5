// Message passing: write the message, raise the flag; wait for the flag, read the message.
//
// source: the litmus test MP
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int message, flag;

static void *sender(void *arg)
{
    (void)arg;
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
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
