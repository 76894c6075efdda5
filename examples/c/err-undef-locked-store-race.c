// One thread stores an undefined value under a lock, the other reads without it.
// expect: rc11 violated data-race
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int g = 1;
static int copy;

static void *writer(void *arg)
{
    int a;
    pthread_mutex_lock(&m);
    g = a;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg)
{
    copy = g;
    return arg;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, NULL, writer, NULL);
    pthread_create(&q, NULL, reader, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    return 0;
}
