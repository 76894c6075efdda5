// A delay that is doubled until it overflows is an error, if it is waited for long enough.
// expect: rc11 violated overflow
// check: --unroll 40
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
    int delay = 1;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        delay *= 2;
        usleep(delay);
    }
    int seen = data;
    pthread_join(t, NULL);
    return seen != 1;
}
