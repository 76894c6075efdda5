// N threads look a hundred times for one of two things, by functions of a library of atomics, before they give up: 3 outcomes for
// each, whatever the limit, 3^N executions.
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

static int done, cancelled;

static int load(int *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static void store(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }

static void *thread(void *arg)
{
    int spins = 100;
    while (spins-- && !load(&done)) {
        if (load(&cancelled))
            break;
    }
    return arg;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    store(&done, 1);
    store(&cancelled, 1);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
