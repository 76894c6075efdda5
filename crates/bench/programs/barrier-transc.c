// barrier-transc(N): N threads compute the transitive closure of a relation, row by row, until nothing is new.
// They meet twice per iteration.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef SIZE
#define SIZE 6
#endif

static pthread_barrier_t barrier;
static bool relation[SIZE][SIZE], next[SIZE][SIZE], news[N];

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    bool again = true;
    while (again) {
        bool new = false;
        for (int i = me; i < SIZE; i += N)
            for (int j = 0; j < SIZE; j++) {
                bool related = relation[i][j];
                for (int k = 0; k < SIZE && !related; k++)
                    related = relation[i][k] && relation[k][j];
                new = new || (related && !relation[i][j]);
                next[i][j] = related;
            }
        news[me] = new;
        pthread_barrier_wait(&barrier);
        again = false;
        for (int i = 0; i < N; i++)
            again = again || news[i];
        for (int i = me; i < SIZE; i += N)
            for (int j = 0; j < SIZE; j++)
                relation[i][j] = next[i][j];
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i + 1 < SIZE; i++)
        relation[i][i + 1] = true;
    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            assert(relation[i][j] == (i < j));
    return 0;
}
