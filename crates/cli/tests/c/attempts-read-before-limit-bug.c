// The limit is tested after the look and before what comes of it: who gives up may have seen what it waited for.
// expect: sc violated assertion
// expect: rc11 violated assertion
// expect: imm violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int busy = 1;

static int wait_a_little(void)
{
    int seen;
    for (int i = 0;;) {
        seen = atomic_load(&busy);
        if (++i == 3)
            break;
        if (!seen)
            return -1;
    }
    return seen;
}

static void *thread(void *arg)
{
    atomic_store(&busy, 0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    assert(wait_a_little() != 0);
    pthread_join(t, 0);
    return 0;
}
