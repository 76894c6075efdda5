// The Chase-Lev deque without the fence in take. The owner's write of `bottom` can still sit in its store
// buffer when it reads `top`: it sees two items and takes the newer one without compare-and-swap, while a
// thief that sees the old `bottom` steals both. tso allows this; sc does not.
//
// source: D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005; N. M. Le, A. Pop,
//         A. Cohen, F. Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models",
//         PPoPP 2013, on the fence
// expect: sc verified
// expect: tso violated assertion line=87
// expect: rc11 violated assertion line=87
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#define SIZE 4
#define EMPTY 0

static atomic_int top, bottom;
static atomic_int buffer[SIZE];
static int handed_out[3];

static void push(int item)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    int t = atomic_load_explicit(&top, memory_order_acquire);
    assert(b - t < SIZE);
    atomic_store_explicit(&buffer[b % SIZE], item, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return EMPTY;
    }
    int item = atomic_load_explicit(&buffer[b % SIZE], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            item = EMPTY;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return item;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return EMPTY;
    int item = atomic_load_explicit(&buffer[t % SIZE], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return EMPTY;
    return item;
}

static void *thief(void *arg)
{
    (void)arg;
    handed_out[0] = steal();
    handed_out[1] = steal();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, thief, NULL);
    for (int item = 1; item <= N; item++)
        push(item);
    handed_out[2] = take();
    pthread_join(thread, NULL);

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            assert(handed_out[i] == EMPTY || handed_out[i] != handed_out[j]);
    return 0;
}
