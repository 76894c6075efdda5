// indexer(N): N threads insert four messages each into a hash table of 128 places, with open addressing. Below
// twelve threads no two messages meet; each thread from the twelfth on doubles the executions three times.
//
// source: C. Flanagan, P. Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software", POPL 2005
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 12
#endif
#define SIZE 128
#define MESSAGES 4

static atomic_int table[SIZE];

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int m = 1; m <= MESSAGES; m++) {
        int message = m * 11 + me;
        int place = message * 7 % SIZE;
        int empty = 0;
        while (!atomic_compare_exchange_strong_explicit(&table[place], &empty, message,
                                                        memory_order_relaxed, memory_order_relaxed)) {
            place = (place + 1) % SIZE;
            empty = 0;
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
