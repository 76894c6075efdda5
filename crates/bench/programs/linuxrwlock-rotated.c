// linuxrwlock-rotated: the counter-based reader-writer lock of early Linux kernels with R readers and W
// writers, each of which takes the lock once. The attempt comes before the loop, and again at the end of an
// iteration.
//
// source: the description of the x86 rwlock in D. P. Bovet, M. Cesati, "Understanding the Linux Kernel",
//         3rd ed., section 5.2.5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef R
#define R 2
#endif
#ifndef W
#define W 2
#endif
#define BIAS 0x100000

typedef struct {
    atomic_int lock;
} rwlock_t;

static rwlock_t lock = {BIAS};
static int shared;

static void pause(void)
{
}

static void read_lock(rwlock_t *rw)
{
    int prior = atomic_fetch_sub_explicit(&rw->lock, 1, memory_order_acquire);
    while (prior <= 0) {
        atomic_fetch_add_explicit(&rw->lock, 1, memory_order_relaxed);
        while (atomic_load_explicit(&rw->lock, memory_order_relaxed) <= 0)
            pause();
        prior = atomic_fetch_sub_explicit(&rw->lock, 1, memory_order_acquire);
    }
}

static void read_unlock(rwlock_t *rw)
{
    atomic_fetch_add_explicit(&rw->lock, 1, memory_order_release);
}

static void write_lock(rwlock_t *rw)
{
    int prior = atomic_fetch_sub_explicit(&rw->lock, BIAS, memory_order_acquire);
    while (prior != BIAS) {
        atomic_fetch_add_explicit(&rw->lock, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&rw->lock, memory_order_relaxed) != BIAS)
            pause();
        prior = atomic_fetch_sub_explicit(&rw->lock, BIAS, memory_order_acquire);
    }
}

static void write_unlock(rwlock_t *rw)
{
    atomic_fetch_add_explicit(&rw->lock, BIAS, memory_order_release);
}

static void *reader(void *arg)
{
    read_lock(&lock);
    int first = shared, second = shared;
    read_unlock(&lock);
    assert(first == second);
    return arg;
}

static void *writer(void *arg)
{
    write_lock(&lock);
    shared++;
    write_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[R + W];

    for (int i = 0; i < R + W; i++)
        pthread_create(&threads[i], NULL, i < R ? reader : writer, NULL);
    for (int i = 0; i < R + W; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
