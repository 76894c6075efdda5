// mixed-ticket(N): a ticket lock in one word, of two halves of 16 bits. A ticket is taken by an addition to the whole word,
// and the lock is given up by a store to one half. N! executions: the order of the tickets.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#ifndef N
#define N 2
#endif

static union {
    _Atomic uint32_t both;
    struct {
        _Atomic uint16_t serving, next;
    } half;
} lock_word;
static int count;

static void lock(void)
{
    uint32_t both = atomic_fetch_add_explicit(&lock_word.both, 1u << 16, memory_order_acquire);
    uint16_t mine = both >> 16;
    if ((uint16_t)both == mine)
        return;
    while (atomic_load_explicit(&lock_word.half.serving, memory_order_acquire) != mine)
        ;
}

static void unlock(void)
{
    uint16_t serving = atomic_load_explicit(&lock_word.half.serving, memory_order_relaxed);
    atomic_store_explicit(&lock_word.half.serving, serving + 1, memory_order_release);
}

static void *thread(void *arg)
{
    lock();
    count++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    assert(count == N);
    return 0;
}
