// lastzero(N): thread 0 looks for the last element of an array that is zero, from the end; thread i sets
// element i to one more than element i - 1.
//
// source: P. A. Abdulla, S. Aronis, B. Jonsson, K. Sagonas, "Source Sets: A Foundation for Optimal Dynamic
//         Partial Order Reduction", J. ACM 64(4), 2017
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 5
#endif

static atomic_int array[N + 1];

static void *look(void *arg)
{
    (void)arg;
    int i = N;
    while (atomic_load(&array[i]) != 0)
        i--;
    return NULL;
}

static void *set(void *arg)
{
    int me = (int)(intptr_t)arg;
    atomic_store(&array[me], atomic_load(&array[me - 1]) + 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[N + 1];

    pthread_create(&threads[0], NULL, look, NULL);
    for (int i = 1; i <= N; i++)
        pthread_create(&threads[i], NULL, set, (void *)(intptr_t)i);
    for (int i = 0; i <= N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
