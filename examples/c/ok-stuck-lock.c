// The same, but the test is made again each time, and whoever takes the lock gives it back.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;

static void lock(void)
{
    for (;;) {
        while (atomic_load(&taken) != 0)
            ;
        int free = 0;
        if (atomic_compare_exchange_strong(&taken, &free, 1))
            return;
    }
}

static void *keeper(void *arg)
{
    (void)arg;
    lock();
    atomic_store(&taken, 0);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, keeper, NULL);
    pthread_create(&b, NULL, keeper, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
