// A thread hands over a value that it has not set.
// expect: sc violated uninitialised-read line=25
// expect: tso violated uninitialised-read line=25
// expect: rc11 violated uninitialised-read line=25
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int g = 5;

static void *thread(void *arg)
{
    int a;
    if (arg)
        a = 1;
    atomic_store(&g, a);
    return NULL;
}

int main(void)
{
    pthread_t p;
    pthread_create(&p, NULL, thread, NULL);
    pthread_join(p, NULL);
    assert(atomic_load(&g) == 1);
    return 0;
}
