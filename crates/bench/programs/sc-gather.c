// sc-gather(N): N threads announce their beginning and their end at a shared counter; one more waits until all have
// done both. It looks by adding a large number, and takes it away again if it came too early, so that whoever
// announced itself afterwards could have seen that it is being waited for. The announcements are ordered in
// (2N)! / 2^N ways; what the last thread added and took away in vain makes no difference.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#define WAITED_FOR 0x10000

static atomic_int counter;

static void *worker(void *arg)
{
    (void)arg;
    atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counter, 1, memory_order_release);
    return NULL;
}

static void *gatherer(void *arg)
{
    (void)arg;
    while (atomic_fetch_add_explicit(&counter, WAITED_FOR, memory_order_acquire) != 2 * N)
        atomic_fetch_sub_explicit(&counter, WAITED_FOR, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[N], NULL, gatherer, NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    assert(counter == WAITED_FOR + 2 * N);
    return 0;
}
