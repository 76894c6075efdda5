// Looks whether a lock is free and then insists on it: if somebody takes it in between and keeps it, the loop
// never ends. Unlike in a test-and-test-and-set lock, the test is not made again.
// expect: sc violated non-termination
// expect: tso violated non-termination
// expect: rc11 violated non-termination
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int taken;

static void *keeper(void *arg)
{
    (void)arg;
    atomic_store(&taken, 1);
    return NULL;
}

static void *insister(void *arg)
{
    (void)arg;
    if (atomic_load(&taken) == 0) {
        int free = 0;
        while (!atomic_compare_exchange_strong(&taken, &free, 2))
            free = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, keeper, NULL);
    pthread_create(&b, NULL, insister, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
