// disjoint-sections(N, K): N threads with K critical sections of one lock each, on data of their own. All (N*K)!/K!^N orders
// of the sections are one execution if sections that do not conflict are not ordered. With -DSHARED=S, the threads are in
// groups that share their data, S groups in all.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#ifndef K
#define K 3
#endif
#ifndef SHARED
#define SHARED N
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counts[SHARED];

static void *worker(void *arg)
{
    for (int k = 0; k < K; k++) {
        pthread_mutex_lock(&mutex);
        counts[(long)arg % SHARED]++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int sum = 0;

    for (long i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SHARED; i++)
        sum += counts[i];
    assert(sum == N * K);
    return 0;
}
