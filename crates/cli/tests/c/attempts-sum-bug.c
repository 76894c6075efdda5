// How many rounds are left after one that has read 1 shows in the sum: these are no attempts. The first round may read 0
// and the second 1.
// expect: sc violated assertion
// expect: tso violated assertion
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *write(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, write, 0);
    int sum = 0;
    for (int i = 0; i < 2; i++)
        sum += atomic_load_explicit(&x, memory_order_relaxed);
    assert(sum != 1);
    pthread_join(thread, 0);
    return 0;
}
