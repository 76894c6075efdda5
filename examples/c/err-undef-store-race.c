// Two threads store to one variable. That what they store is undefined does not make it no race.
// expect: rc11 violated data-race
#include <pthread.h>

static int g;

static void *thread(void *arg)
{
    int a;
    g = a;
    return arg;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, NULL, thread, NULL);
    pthread_create(&q, NULL, thread, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    return 0;
}
