// A thread waits until all others have announced themselves at a counter. It looks by adding a large number, and takes it
// away again if it came too early. The others do not look at what they add to, so nobody notices.
//
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif
#define WAITED_FOR 0x10000

static atomic_int counter;
static int result[N];

static void *worker(void *arg)
{
    int *own = arg;
    *own = 1;
    atomic_fetch_add_explicit(&counter, 1, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, &result[i]);
    while (atomic_fetch_add_explicit(&counter, WAITED_FOR, memory_order_acquire) != N)
        atomic_fetch_sub_explicit(&counter, WAITED_FOR, memory_order_relaxed);
    for (int i = 0; i < N; i++)
        assert(result[i] == 1);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
