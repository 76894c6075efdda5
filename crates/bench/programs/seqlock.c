// seqlock(N): N - READERS threads update two words under a sequence lock, READERS threads look at them. The writers
// exclude each other by making the sequence number odd with compare-and-swap. Readers try again if the number was
// odd or has changed; the data are relaxed atomics, because readers may look at them during an update.
//
// source: H.-J. Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC 2012
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#ifndef READERS
#define READERS 1
#endif

static atomic_uint sequence;
static atomic_int left, right;

static void *writer(void *arg)
{
    (void)arg;
    unsigned s;
    do {
        while ((s = atomic_load_explicit(&sequence, memory_order_relaxed)) % 2 != 0)
            ;
    } while (!atomic_compare_exchange_strong_explicit(&sequence, &s, s + 1, memory_order_acquire,
                                                      memory_order_relaxed));
    atomic_thread_fence(memory_order_release);
    int value = atomic_load_explicit(&left, memory_order_relaxed) + 1;
    atomic_store_explicit(&left, value, memory_order_relaxed);
    atomic_store_explicit(&right, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    int l, r;
    for (;;) {
        unsigned s;
        while ((s = atomic_load_explicit(&sequence, memory_order_acquire)) % 2 != 0)
            ;
        l = atomic_load_explicit(&left, memory_order_relaxed);
        r = atomic_load_explicit(&right, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&sequence, memory_order_relaxed) == s)
            break;
    }
    assert(l == r);
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, i < READERS ? reader : writer, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
