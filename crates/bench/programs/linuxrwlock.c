// linuxrwlock(N): the counter-based reader-writer lock of early Linux kernels, used by N threads: every second one
// writes, the others read (-DBOTH: every thread reads and then writes). A reader takes one from the counter and a
// writer takes all of it; whoever overdraws puts back what it took and waits.
// -DBOUND=K: a thread gives up after K attempts.
//
// source: the description of the x86 rwlock in D. P. Bovet, M. Cesati, "Understanding the Linux Kernel",
//         3rd ed., section 5.2.5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef N
#define N 3
#endif
#define BIAS 0x100000

static atomic_int lock = BIAS;
static int shared;

#ifdef BOUND
#define ATTEMPTS(k) (int k = 0; k < BOUND; k++)
#else
#define ATTEMPTS(k) (;;)
#endif

static bool read_lock(void)
{
    for ATTEMPTS(k) {
        if (atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire) > 0)
            return true;
        atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
#ifndef BOUND
        while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0)
            ;
#endif
    }
    return false;
}

static void read_unlock(void)
{
    atomic_fetch_add_explicit(&lock, 1, memory_order_release);
}

static bool write_lock(void)
{
    for ATTEMPTS(k) {
        if (atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire) == BIAS)
            return true;
        atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
#ifndef BOUND
        while (atomic_load_explicit(&lock, memory_order_relaxed) != BIAS)
            ;
#endif
    }
    return false;
}

static void write_unlock(void)
{
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
}

static void reading(void)
{
    if (!read_lock())
        return;
    int first = shared, second = shared;
    read_unlock();
    assert(first == second);
}

static void writing(void)
{
    if (!write_lock())
        return;
    shared++;
    write_unlock();
}

static void *worker(void *arg)
{
    int me = (int)(intptr_t)arg;
#ifdef BOTH
    (void)me;
    reading();
    writing();
#else
    if (me % 2 == 0)
        reading();
    else
        writing();
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(intptr_t)i);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
