// twa-lock(N): the ticket lock with a waiting array, once for each of N threads. Only the next in line spins on
// `grant`; the others spin on a place of an array that all locks share, which says that it may be their turn to
// become next.
//
// source: D. Dice, A. Kogan, "TWA - Ticket Locks Augmented with a Waiting Array", Euro-Par 2019
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif
#define NEAR 1 // how many may spin on `grant`
#ifndef PLACES
#define PLACES 4
#endif

static atomic_uint ticket, grant;
static atomic_uint waiting[PLACES];

static void lock(void)
{
    unsigned mine = atomic_fetch_add_explicit(&ticket, 1, memory_order_relaxed);
    unsigned now = atomic_load_explicit(&grant, memory_order_acquire);
    if (mine == now)
        return;
    while (mine - now > NEAR) {
        atomic_uint *place = &waiting[mine % PLACES];
        unsigned before = atomic_load_explicit(place, memory_order_acquire);
        // Once more, in case it was granted before we looked at the place.
        now = atomic_load_explicit(&grant, memory_order_acquire);
        if (mine - now <= NEAR)
            break;
        while (atomic_load_explicit(place, memory_order_acquire) == before)
            ;
        now = atomic_load_explicit(&grant, memory_order_acquire);
    }
    while (atomic_load_explicit(&grant, memory_order_acquire) != mine)
        ;
}

static void unlock(void)
{
    unsigned next = atomic_load_explicit(&grant, memory_order_relaxed) + 1;
    atomic_store_explicit(&grant, next, memory_order_release);
    atomic_fetch_add_explicit(&waiting[(next + NEAR) % PLACES], 1, memory_order_acq_rel);
}

static int count;

static void *worker(void *arg)
{
    (void)arg;
    lock();
    count++;
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[N];

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    assert(count == N);
    return 0;
}
