// An attempt that fails writes what was there; that is a race with a plain read all the same.
// expect: rc11 violated data-race
#include <pthread.h>
#include <stddef.h>

static int held = 1;

static void *thread(void *arg)
{
    while (__atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    int seen = held;
    (void)seen;
    __atomic_store_n(&held, 0, __ATOMIC_RELEASE);
    pthread_join(t, NULL);
    return 0;
}
