// A loop whose limit is in memory that another thread changes while it goes round: a data race.
// expect: rc11 violated data-race
// expect: sc violated data-race
#include <pthread.h>

static int running = 1, rounds;

static void *worker(void *unused)
{
    while (running)
        rounds++;
    return 0;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    running = 0;
    pthread_join(thread, 0);
    return 0;
}
