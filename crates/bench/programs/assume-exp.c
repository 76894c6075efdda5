// assume-exp(N): one thread counts x up to 42 and one goes on only if it sees 42. One thread writes y N times,
// and eight look at it: (N + 1)^8 executions, and 42 times as many that block if every value of x is tried.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_assume(int);

#ifndef N
#define N 1
#endif
#define READERS 8

static atomic_int x, y;

static void *count(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 42; i++)
        atomic_store_explicit(&x, i, memory_order_relaxed);
    return NULL;
}

static void *see(void *arg)
{
    (void)arg;
    __VERIFIER_assume(atomic_load_explicit(&x, memory_order_relaxed) == 42);
    return NULL;
}

static void *write(void *arg)
{
    (void)arg;
    for (int i = 1; i <= N; i++)
        atomic_store_explicit(&y, i, memory_order_relaxed);
    return NULL;
}

static void *look(void *arg)
{
    (void)arg;
    atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t threads[3 + READERS];

    pthread_create(&threads[0], NULL, count, NULL);
    pthread_create(&threads[1], NULL, see, NULL);
    pthread_create(&threads[2], NULL, write, NULL);
    for (int i = 0; i < READERS; i++)
        pthread_create(&threads[3 + i], NULL, look, NULL);
    for (int i = 0; i < 3 + READERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
