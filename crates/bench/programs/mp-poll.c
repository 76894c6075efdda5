// mp(N): message passing. The reader looks at the flag up to N times; once it is set, the message is there.
// The flag is seen at one of N looks, or never: N + 1 executions.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef N
#define N 10
#endif

static atomic_int message, flag;

static void *writer(void *arg)
{
    (void)arg;
    atomic_store_explicit(&message, 42, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_release);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    for (int look = 0; look < N; look++)
        if (atomic_load_explicit(&flag, memory_order_acquire)) {
            assert(atomic_load_explicit(&message, memory_order_relaxed) == 42);
            break;
        }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
