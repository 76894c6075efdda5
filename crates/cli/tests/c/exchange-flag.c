// A test-and-set lock: an attempt that fails stores what was there, and waits. One execution for each order.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag held = ATOMIC_FLAG_INIT;
static int count;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&held, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&held, memory_order_release);
}

static void *thread(void *arg)
{
    lock();
    count++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(count == 3);
    return 0;
}
