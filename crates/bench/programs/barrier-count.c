// barrier-count(N): thread i waits at the barriers i, i + 1, ..., N, so k threads meet at barrier k. Those
// that get through are counted; whoever came to barriers only now looks how many did, and once more if it
// sees nobody but itself. At barrier k that makes (k - 1)! (k (k + 3) / 2 - 1) executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif

static pthread_barrier_t barrier[N + 1];
static atomic_int through[N + 1];

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int k = me; k <= N; k++) {
        pthread_barrier_wait(&barrier[k]);
        atomic_fetch_add_explicit(&through[k], 1, memory_order_relaxed);
        if (k == me) {
            int seen = atomic_load_explicit(&through[k], memory_order_relaxed);
            if (seen == 1)
                seen = atomic_load_explicit(&through[k], memory_order_relaxed);
            assert(seen >= 1 && seen <= k);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];

    for (int k = 1; k <= N; k++)
        pthread_barrier_init(&barrier[k], NULL, k);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 1; i <= N; i++)
        pthread_join(threads[i], NULL);
    for (int k = 1; k <= N; k++)
        assert(through[k] == k);
    return 0;
}
