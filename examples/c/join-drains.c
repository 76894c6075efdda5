// Store buffering across the end of a thread: when a thread is joined, its writes are in memory on every machine, for
// ending it takes calls of the operating system. C promises less: there, joining is no sequentially consistent fence.
//
// source: ours, after "SB" ([Owens09]).
// expect: sc verified
// expect: tso verified
// expect: pso verified
// expect: x86 verified
// expect: armv8 verified
// expect: riscv verified
// expect: rc11 violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y, other;
static int seen;

static void *writes(void *arg)
{
    (void)arg;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&y, memory_order_relaxed);
    return NULL;
}

static void *looks(void *arg)
{
    (void)arg;
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    seen = atomic_load_explicit(&x, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&reader, NULL, looks, NULL);
    pthread_create(&writer, NULL, writes, NULL);
    pthread_join(writer, NULL);
    int saw = atomic_load_explicit(&other, memory_order_relaxed);
    pthread_join(reader, NULL);
    assert(saw || seen);
    return 0;
}
