// Two threads multiply 8 x 8 matrices in plain memory, each half of the rows: one execution of more than a
// thousand events.
// expect: imm verified
// expect: armv8 verified
// expect: power verified
// expect: riscv verified
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define N 8

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
