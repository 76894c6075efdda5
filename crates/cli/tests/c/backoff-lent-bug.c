// A back-off that counts what is looked at later is no pause: the counter says how long the thread has
// waited.
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock = 1;

static void count(unsigned *rounds)
{
    *rounds = *rounds < 3 ? *rounds + 1 : 3;
}

static void *holder(void *unused)
{
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t thread;
    unsigned rounds = 0;
    pthread_create(&thread, 0, holder, 0);
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
        count(&rounds);
    assert(rounds < 2);
    pthread_join(thread, 0);
    return 0;
}
