// barrier-det(N): the determinant of the fourth power of a SIZE x SIZE matrix. N threads compute the rows of
// the square, meet, and compute the rows of its square.
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef SIZE
#define SIZE 4
#endif

static pthread_barrier_t barrier;
static int64_t once[SIZE][SIZE], twice[SIZE][SIZE], fourth[SIZE][SIZE];

static void square_rows(int me, int64_t from[SIZE][SIZE], int64_t to[SIZE][SIZE])
{
    for (int i = me; i < SIZE; i += N)
        for (int j = 0; j < SIZE; j++) {
            int64_t sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += from[i][k] * from[k][j];
            to[i][j] = sum;
        }
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    square_rows(me, once, twice);
    pthread_barrier_wait(&barrier);
    square_rows(me, twice, fourth);
    return NULL;
}

// Expansion along the first row that is left.
static int64_t determinant(int64_t m[SIZE][SIZE], int row, unsigned columns)
{
    if (row == SIZE)
        return 1;
    int64_t sum = 0, sign = 1;
    for (int j = 0; j < SIZE; j++)
        if (columns >> j & 1) {
            sum += sign * m[row][j] * determinant(m, row + 1, columns & ~(1u << j));
            sign = -sign;
        }
    return sum;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            once[i][j] = i == j ? 2 : j == i + 1;
    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    // A triangular matrix with 2 on its diagonal.
    assert(determinant(fourth, 0, (1u << SIZE) - 1) == (int64_t)1 << 4 * SIZE);
    return 0;
}
