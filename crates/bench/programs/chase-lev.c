// chase-lev, dq: the Chase-Lev work-stealing deque. The owner pushes a times, takes b times and pushes c times, where
// the digits of the define OWNER are a, b and c; each of THIEVES threads steals STEALS times, the first one
// FIRST_STEALS times. No item is handed out twice. A thief that loses the race for an item tries again, unless ONCE
// is defined. -DOPT: with accesses as weak as they can be.
//
// source: D. Chase, Y. Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005; orderings as in N. M. Le,
//         A. Pop, A. Cohen, F. Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory
//         Models", PPoPP 2013
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef OWNER
#define OWNER 210
#endif
#ifndef THIEVES
#define THIEVES 1
#endif
#ifndef STEALS
#define STEALS 1
#endif
#ifndef FIRST_STEALS
#define FIRST_STEALS STEALS
#endif
#define SIZE 16
#define EMPTY 0

#ifdef OPT
#define WEAK memory_order_relaxed
#else
#define WEAK memory_order_acquire
#endif

static atomic_int top, bottom;
static atomic_int buffer[SIZE];
static atomic_int handed_out[SIZE + 1];

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
    atomic_thread_fence(memory_order_seq_cst);
    int t = atomic_load_explicit(&top, WEAK);
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
    for (;;) {
        int t = atomic_load_explicit(&top, memory_order_acquire);
        atomic_thread_fence(memory_order_seq_cst);
        int b = atomic_load_explicit(&bottom, memory_order_acquire);
        if (t >= b)
            return EMPTY;
        int item = atomic_load_explicit(&buffer[t % SIZE], WEAK);
        if (atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                    memory_order_relaxed))
            return item;
#ifdef ONCE
        return EMPTY;
#endif
    }
}

static void hand_out(int item)
{
    if (item != EMPTY)
        assert(atomic_exchange_explicit(&handed_out[item], 1, memory_order_relaxed) == 0);
}

static void *thief(void *arg)
{
    for (int i = arg ? STEALS : FIRST_STEALS; i > 0; i--)
        hand_out(steal());
    return NULL;
}

int main(void)
{
    pthread_t threads[THIEVES];

    for (int i = 0; i < THIEVES; i++)
        pthread_create(&threads[i], NULL, thief, (void *)(intptr_t)i);
    int item = 1;
    for (int i = OWNER / 100; i > 0; i--)
        push(item++);
    for (int i = OWNER / 10 % 10; i > 0; i--)
        hand_out(take());
    for (int i = OWNER % 10; i > 0; i--)
        push(item++);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
