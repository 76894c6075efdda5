// The counter-based reader-writer lock of early Linux kernels: the counter starts at BIAS, a reader takes
// one from it and a writer takes all of it; whoever overdraws puts back what it took and waits.
//
// A reader and a writer share a plain variable; -DTRY adds a thread that tries to write without waiting.
//
// source: the description of the x86 rwlock in D. P. Bovet, M. Cesati, "Understanding the Linux Kernel",
//         3rd ed., section 5.2.5
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define BIAS 0x100000

static atomic_int lock = BIAS;
static int shared;

static void read_lock(void)
{
    while (atomic_fetch_sub_explicit(&lock, 1, memory_order_acquire) <= 0) {
        atomic_fetch_add_explicit(&lock, 1, memory_order_relaxed);
        while (atomic_load_explicit(&lock, memory_order_relaxed) <= 0)
            ;
    }
}

static void read_unlock(void)
{
    atomic_fetch_add_explicit(&lock, 1, memory_order_release);
}

static int write_trylock(void)
{
    if (atomic_fetch_sub_explicit(&lock, BIAS, memory_order_acquire) == BIAS)
        return 1;
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
    return 0;
}

static void write_lock(void)
{
    while (!write_trylock())
        while (atomic_load_explicit(&lock, memory_order_relaxed) != BIAS)
            ;
}

static void write_unlock(void)
{
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_release);
}

static void *reader(void *arg)
{
    (void)arg;
    read_lock();
    int first = shared;
    int second = shared;
    read_unlock();
    assert(first == second);
    return NULL;
}

static void *writer(void *arg)
{
    (void)arg;
    write_lock();
    shared++;
    write_unlock();
    return NULL;
}

#ifdef TRY
static void *trier(void *arg)
{
    (void)arg;
    if (write_trylock()) {
        shared++;
        write_unlock();
    }
    return NULL;
}
#endif

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, reader, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
#ifdef TRY
    pthread_create(&threads[2], NULL, trier, NULL);
    pthread_join(threads[2], NULL);
#endif
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(shared >= 1);
    return 0;
}
