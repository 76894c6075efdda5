// The buffer of one slot with a semaphore that starts as if there were two: the producer overwrites an item
// that has not been taken. sc and tso show the wrong item, rc11 the race.
//
// source: E. W. Dijkstra, "Cooperating Sequential Processes", EWD 123, 1965; POSIX, sem_wait
// expect: sc violated data-race
// expect: tso violated data-race
// expect: rc11 violated data-race
// expect: sc violated assertion line=40 no-races
// expect: tso violated assertion line=40 no-races
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef N
#define N 2
#endif

static sem_t free_slots, items;
static int slot;

static void *producer(void *arg)
{
    (void)arg;
    for (int item = 1; item <= N; item++) {
        sem_wait(&free_slots);
        slot = item;
        sem_post(&items);
    }
    return NULL;
}

int main(void)
{
    sem_init(&free_slots, 0, 2);
    sem_init(&items, 0, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, producer, NULL);
    for (int item = 1; item <= N; item++) {
        sem_wait(&items);
        assert(slot == item);
        sem_post(&free_slots);
    }
    pthread_join(thread, NULL);
    sem_destroy(&free_slots);
    sem_destroy(&items);
    return 0;
}
