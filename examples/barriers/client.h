// What every barrier of this folder is asked: N threads pass it K times. Nobody may leave it for the k-th time before
// everybody has entered it for the k-th time, and everybody leaves.
//
// A barrier defines `barrier(id)`, and includes this file behind it.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static atomic_int entered[N];

static void *client(void *arg)
{
    int id = (int)(intptr_t)arg;
    for (int k = 1; k <= K; k++) {
        atomic_store_explicit(&entered[id], k, memory_order_relaxed);
        barrier(id);
        for (int other = 0; other < N; other++)
            if (other != id)
                assert(atomic_load_explicit(&entered[other], memory_order_relaxed) >= k);
    }
    return 0;
}

int main(void)
{
    pthread_t thread[N];
    for (int id = 0; id < N; id++)
        pthread_create(&thread[id], 0, client, (void *)(intptr_t)id);
    for (int id = 0; id < N; id++)
        pthread_join(thread[id], 0);
    return 0;
}
