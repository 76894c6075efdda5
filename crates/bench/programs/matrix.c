// matrix(N): two threads multiply N x N matrices in plain memory, each half of the rows. One execution, with
// some 2 N^3 + 4 N^2 events.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 16
#endif

static int left[N][N], right[N][N], product[N][N];

static void multiply(int from, int to)
{
    for (int i = from; i < to; i++)
        for (int j = 0; j < N; j++) {
            int sum = 0;
            for (int k = 0; k < N; k++)
                sum += left[i][k] * right[k][j];
            product[i][j] = sum;
        }
}

static void *worker(void *arg)
{
    multiply(N / 2, N);
    return arg;
}

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            left[i][j] = i + j;
            right[i][j] = i == j;
        }
    pthread_t other;
    pthread_create(&other, NULL, worker, NULL);
    multiply(0, N / 2);
    pthread_join(other, NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            assert(product[i][j] == i + j);
    return 0;
}
