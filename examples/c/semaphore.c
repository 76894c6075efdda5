// A buffer of one slot guarded by two semaphores: one counts free slots, the other filled ones.
//
// source: E. W. Dijkstra, "Cooperating Sequential Processes", EWD 123, 1965; POSIX, sem_wait
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    sem_init(&free_slots, 0, 1);
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
