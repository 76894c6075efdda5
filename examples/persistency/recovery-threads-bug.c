// Recovery replays two logs by two threads, which add up what they find, and lose some of it.
//
// expect: px86 tso violated recovery-assertion line=28
// expect: weakest rc11 violated recovery-assertion line=28

#include <assert.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>

_Alignas(64) int logs[2][16];
static atomic_int sum;

static void *replay(void *log)
{
    int seen = atomic_load(&sum);
    atomic_store(&sum, seen + *(int *)log);
    return 0;
}

void __VERIFIER_recovery_routine(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, replay, logs[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    assert(sum == logs[0][0] + logs[1][0]);
}

int main(void)
{
    selvedge_durable(logs, sizeof logs);
    logs[0][0] = 1;
    logs[1][0] = 2;
    return 0;
}
