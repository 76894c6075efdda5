// Loops that only let some time pass end by themselves: the lock's back-off, a function of its own for it,
// and a worker that sleeps a few times before it goes on.
// expect: rc11 verified executions=2
// expect: sc verified executions=2
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int held;
static int count;

static void delay(unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++)
        sched_yield();
}

static void lock(void)
{
    unsigned rounds = 1;
    while (atomic_exchange_explicit(&held, 1, memory_order_acquire)) {
        delay(rounds);
        if (rounds < 8)
            rounds *= 2;
    }
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++)
        usleep(1);
    lock();
    count++;
    atomic_store_explicit(&held, 0, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(count == 2);
    return 0;
}
