// Counters that only decide how long a thread pauses do not keep it from waiting.
// expect: rc11 verified executions=1
// expect: sc verified executions=1
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
    unsigned delay = 1;
    while (!atomic_load_explicit(&flag, memory_order_acquire)) {
        if (++attempts >= 10) {
            sched_yield();
            attempts = 0;
        } else {
            for (volatile unsigned i = 0; i < delay; i++)
                ;
            delay *= 2;
            usleep(delay);
        }
    }
    int seen = data;
    pthread_join(t, NULL);
    return seen != 1;
}
