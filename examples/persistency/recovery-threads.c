// Recovery replays two logs by two threads, which add up what they find.
//
// expect: px86 tso verified states=4
// expect: weakest rc11 verified states=4
// expect: weakest imm verified states=4

#include <assert.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>

_Alignas(64) int logs[2][16];
static atomic_int sum;

static void *replay(void *log)
{
    atomic_fetch_add(&sum, *(int *)log);
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
