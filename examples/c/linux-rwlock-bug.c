// The counter-based reader-writer lock with a writer that gives the counter back with a relaxed addition:
// a reader that comes next does not see what was written. Only rc11 shows it.
//
// source: the description of the x86 rwlock in D. P. Bovet, M. Cesati, "Understanding the Linux Kernel",
//         3rd ed., section 5.2.5
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc verified no-races
// expect: tso verified no-races
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
    atomic_fetch_add_explicit(&lock, BIAS, memory_order_relaxed);
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
