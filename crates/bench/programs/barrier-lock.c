// barrier-lock(N): N threads meet at a barrier and then all try to enter a critical section that a simple
// lock protects; twice. The orders of the critical sections remain: (N!)^ROUNDS.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

static pthread_barrier_t barrier;
static atomic_int lock;
static int inside;

static void enter(void)
{
    int open = 0;
    while (!atomic_compare_exchange_strong_explicit(&lock, &open, 1, memory_order_acquire,
                                                    memory_order_relaxed))
        open = 0;
}

static void leave(void)
{
    atomic_store_explicit(&lock, 0, memory_order_release);
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        enter();
        inside = me;
        assert(inside == me);
        leave();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    pthread_barrier_init(&barrier, NULL, N);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
