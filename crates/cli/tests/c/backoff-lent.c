// Locks whose back-off is a function that is given the thread's own counter by its address, as libraries
// have it: a number, a structure, one that calls another.
// expect: rc11 verified
// expect: sc verified
// expect: armv8 verified
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int lock;
static int counter;

static void back_off(unsigned *delay)
{
    volatile unsigned i;
    for (i = 0; i < *delay; i++)
        ;
    *delay <<= *delay < 1024;
}

struct limits {
    unsigned rounds, most;
};

static void relax(void)
{
    __asm__ volatile("pause" ::: "memory");
}

static void wait_longer(struct limits *limits)
{
    for (unsigned i = 0; i < limits->rounds; i++)
        relax();
    if (limits->rounds < limits->most)
        limits->rounds *= 2;
    else
        sched_yield();
}

static void *worker(void *which)
{
    if (which) {
        unsigned delay = 16;
        while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
            back_off(&delay);
    } else {
        struct limits limits = {16, 1024};
        int expected = 0;
        while (!atomic_compare_exchange_weak_explicit(&lock, &expected, 1, memory_order_acquire,
                                                      memory_order_relaxed)) {
            expected = 0;
            wait_longer(&limits);
        }
    }
    counter++;
    atomic_store_explicit(&lock, 0, memory_order_release);
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, worker, i ? &lock : 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    assert(counter == 3);
    return 0;
}
