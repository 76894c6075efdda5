// An attempt fails if it sees the second word and not the first. Who has seen the second word sees the first one, so there is
// no second attempt that fails: that all of them do is made up, found to be wrong, and not believed.
// expect: sc verified
// expect: rc11 verified
// expect: imm verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second;

static void *thread(void *arg)
{
    atomic_store_explicit(&first, 1, memory_order_relaxed);
    atomic_store_explicit(&second, 1, memory_order_release);
    return arg;
}

static int gives_up(void)
{
    for (int i = 0; i < 3; i++) {
        if (atomic_load_explicit(&first, memory_order_relaxed) == 1)
            return 0;
        if (atomic_load_explicit(&second, memory_order_acquire) != 1)
            return 0;
    }
    return 1;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    assert(!gives_up());
    pthread_join(t, 0);
    return 0;
}
