// fib_bench(N): two threads add each other's variable to their own, N times, while the main thread looks whether one
// of them has passed 144, which five iterations cannot do. With six they can, and then the second variable is not
// looked at; that is what the published count of fib_bench(6) counts.
// -DWEAK: with acquire and release, as if the order of sequentially consistent accesses were not checked.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 4
#endif
#ifdef WEAK
#define LOAD memory_order_acquire
#define STORE memory_order_release
#else
#define LOAD memory_order_seq_cst
#define STORE memory_order_seq_cst
#endif

static atomic_int i = 1, j = 1;

static void add_up(atomic_int *mine, atomic_int *other)
{
    for (int k = 0; k < N; k++) {
        int sum = atomic_load_explicit(mine, LOAD) + atomic_load_explicit(other, LOAD);
        atomic_store_explicit(mine, sum, STORE);
    }
}

static void *add_to_i(void *arg)
{
    (void)arg;
    add_up(&i, &j);
    return NULL;
}

static void *add_to_j(void *arg)
{
    (void)arg;
    add_up(&j, &i);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, add_to_i, NULL);
    pthread_create(&threads[1], NULL, add_to_j, NULL);
    int passed = atomic_load_explicit(&i, LOAD) > 144 || atomic_load_explicit(&j, LOAD) > 144;
    assert(N > 5 || !passed);
    return 0;
}
