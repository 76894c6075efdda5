// A sequence lock whose reader has no acquire fence between the data and the second look at the counter:
// it can read a half-finished update and then an old counter. Reads stay in order under sc and tso.
//
// source: H.-J. Boehm, "Can Seqlocks Get Along with Programming Language Memory Models?", MSPC 2012
// expect: sc verified
// expect: tso verified
// expect: rc11 violated assertion line=56
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 1
#endif

static atomic_uint sequence;
static atomic_int left, right;

static void update(int value)
{
    unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&left, value, memory_order_relaxed);
    atomic_store_explicit(&right, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, s + 2, memory_order_release);
}

static void look(int *l, int *r)
{
    for (;;) {
        unsigned s;
        while ((s = atomic_load_explicit(&sequence, memory_order_acquire)) % 2 != 0)
            ;
        *l = atomic_load_explicit(&left, memory_order_relaxed);
        *r = atomic_load_explicit(&right, memory_order_relaxed);
        if (atomic_load_explicit(&sequence, memory_order_relaxed) == s)
            return;
    }
}

static void *writer(void *arg)
{
    (void)arg;
    for (int value = 1; value <= N; value++)
        update(value);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    int l, r;
    look(&l, &r);
    assert(l == r);
    pthread_join(thread, NULL);
    return 0;
}
