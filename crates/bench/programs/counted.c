// counted(N): two threads fill halves of an array, N elements each, and `main` adds it up once they are
// done. One execution: loops that count to a number are run to their end, whatever the bound of others is.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 100
#endif

static int array[2 * N];

static void *fill(void *arg)
{
    int *half = arg;
    for (int i = 0; i < N; i++)
        half[i] = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, fill, array + i * N);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int sum = 0;
    for (int i = 0; i < 2 * N; i++)
        sum += array[i];
    assert(sum == 2 * N);
    return 0;
}
