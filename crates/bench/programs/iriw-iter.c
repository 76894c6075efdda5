// IRIW-iter: two threads count x and y up to 42; two threads go on only if they see both at 42, one looks at x
// first and one at y. One execution is complete; 85^2 - 1 block if every value is tried.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_assume(int);

#ifndef N
#define N 42
#endif

static atomic_int x, y;

static void *writer(void *arg)
{
    atomic_int *location = arg;
    for (int i = 1; i <= N; i++)
        atomic_store_explicit(location, i, memory_order_relaxed);
    return NULL;
}

static void *reader(void *arg)
{
    atomic_int *first = arg, *second = first == &x ? &y : &x;
    __VERIFIER_assume(atomic_load_explicit(first, memory_order_relaxed) == N);
    __VERIFIER_assume(atomic_load_explicit(second, memory_order_relaxed) == N);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];

    pthread_create(&threads[0], NULL, writer, &x);
    pthread_create(&threads[1], NULL, writer, &y);
    pthread_create(&threads[2], NULL, reader, &x);
    pthread_create(&threads[3], NULL, reader, &y);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
