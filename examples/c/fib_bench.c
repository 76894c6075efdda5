// Two threads add each other's variable to their own, N times; in the best interleaving the values are
// consecutive Fibonacci numbers, and the main thread, which looks without waiting for the two to end, can
// never see more than the largest of them.
//
// source: the Fibonacci benchmark of the SV-COMP pthread category, as described in the literature on
//         stateless model checking
// published: fib_bench(4) 19605, fib_bench(5) 218243, fib_bench(6) 2363803 executions
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif

static atomic_int i = 1, j = 1;

static void *add_to_i(void *arg)
{
    (void)arg;
    for (int k = 0; k < N; k++)
        atomic_store(&i, atomic_load(&i) + atomic_load(&j));
    return NULL;
}

static void *add_to_j(void *arg)
{
    (void)arg;
    for (int k = 0; k < N; k++)
        atomic_store(&j, atomic_load(&j) + atomic_load(&i));
    return NULL;
}

// 0, 1, 1, 2, 3, 5, 8, ...
static int fibonacci(int n)
{
    int a = 0, b = 1;
    while (n-- > 0) {
        int sum = a + b;
        a = b;
        b = sum;
    }
    return a;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, add_to_i, NULL);
    pthread_create(&threads[1], NULL, add_to_j, NULL);
    int seen_i = atomic_load(&i);
    int seen_j = atomic_load(&j);
    int largest = fibonacci(2 * N + 2);
    assert(seen_i <= largest && seen_j <= largest);
    return 0;
}
