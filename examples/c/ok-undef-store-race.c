// Two threads store undefined values to one variable, under a lock; nobody uses what they store.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int g;

static void *thread(void *arg)
{
    int a;
    pthread_mutex_lock(&m);
    g = a;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t p, q;
    pthread_create(&p, NULL, thread, NULL);
    pthread_create(&q, NULL, thread, NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    g = 1;
    return g - 1;
}
