// The JDK's Parker with the bug that was in it for years: on the fast path, nothing keeps the write that
// consumes the permit from being delayed past the caller's next look at its condition. unpark() then finds
// the old permit, does not signal, and its new permit is overwritten: the wake-up is lost and the thread
// waits for ever. sc does not show it, tso does.
//
// source: D. Dice, "A Race in LockSupport park() Arising from Weak Memory Models", 2009; P. A. Abdulla,
//         S. Aronis, M. F. Atig, B. Jonsson, C. Leonardsson, K. Sagonas, "Stateless Model Checking for TSO
//         and PSO", TACAS 2015
// expect: sc verified
// expect: tso violated non-termination
// expect: rc11 violated non-termination
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif

static atomic_int permit, mutex, signalled, ready;

static int try_lock(void)
{
    int expected = 0;
    return atomic_compare_exchange_strong(&mutex, &expected, 1);
}

static void lock(void)
{
    while (!try_lock())
        ;
}

static void unlock(void)
{
    atomic_store(&mutex, 0);
}

static void park(void)
{
    if (atomic_load(&permit) > 0) {
        atomic_store_explicit(&permit, 0, memory_order_release);
        return;
    }
    if (!try_lock())
        return; // someone is in unpark(); the caller looks again
    if (atomic_load(&permit) > 0) {
        atomic_store(&permit, 0);
        unlock();
        return;
    }
    atomic_store(&signalled, 0);
    unlock();
    while (!atomic_load(&signalled))
        ;
    lock();
    atomic_store(&permit, 0);
    unlock();
}

static void unpark(void)
{
    lock();
    int before = atomic_load(&permit);
    atomic_store(&permit, 1);
    unlock();
    if (before < 1)
        atomic_store(&signalled, 1);
}

static void *parked(void *arg)
{
    (void)arg;
    for (int i = 0; i < N && !atomic_load(&ready); i++)
        park();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, parked, NULL);
    unpark(); // for an earlier reason
    atomic_store(&ready, 1);
    unpark();
    pthread_join(thread, NULL);
    return 0;
}
