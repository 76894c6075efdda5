// What a thread wrote is seen by whoever joined it, and by whoever was told of that.
//
// source: ours. POSIX (4.12 "Memory Synchronization") has pthread_create and pthread_join among the functions that
// synchronise memory with respect to other threads.
// expect: sc verified
// expect: tso verified
// expect: pso verified
// expect: x86 verified
// expect: ra verified
// expect: rc11 violated assertion
// expect: rc11 verified -DTELL=memory_order_release
// expect: imm verified -DTELL=memory_order_release
// expect: armv8 verified
// expect: riscv verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef TELL
#define TELL memory_order_relaxed // enough for machines, not for C
#endif

static atomic_int x, y, other, told;

static void *writes(void *arg)
{
    (void)arg;
    // Neither a later write nor a later read may hide that the first write is not visible yet.
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    (void)atomic_load_explicit(&other, memory_order_relaxed);
    return NULL;
}

static void *is_told(void *arg)
{
    (void)arg;
    if (atomic_load_explicit(&told, memory_order_acquire)) {
        assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);
        assert(atomic_load_explicit(&y, memory_order_relaxed) == 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t writer, reader;

    pthread_create(&writer, NULL, writes, NULL);
    pthread_create(&reader, NULL, is_told, NULL);
    pthread_join(writer, NULL);
    // Telling comes first: to look at the variables would order them, too.
    atomic_store_explicit(&told, 1, TELL);
    assert(atomic_load_explicit(&x, memory_order_relaxed) == 1);
    assert(atomic_load_explicit(&y, memory_order_relaxed) == 1);
    pthread_join(reader, NULL);
    return 0;
}
