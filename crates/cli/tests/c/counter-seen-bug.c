// How often it was looked is seen after the loop: such a counter matters.
// expect: rc11 violated assertion line=27
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int flag;
static int data;

static void *thread(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    int attempts = 0;
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        attempts++;
    assert(attempts < 3);
    int seen = data;
    pthread_join(t, NULL);
    return seen != 1;
}
