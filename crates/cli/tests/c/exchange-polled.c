// A lock that looks on after an attempt that failed: the look only lets time pass.
// expect: sc verified executions=6
// expect: tso verified executions=6
// expect: rc11 verified executions=6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int held;
static int count;

static void lock(void)
{
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire))
        while (atomic_load_explicit(&held, memory_order_relaxed))
            ;
}

static void unlock(void)
{
    atomic_store_explicit(&held, 0, memory_order_release);
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
