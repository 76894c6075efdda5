// A lock that its owner may take again, given back without a release: the next one misses what was written in the section.
// expect: rc11 violated data-race
// expect: armv8 violated assertion
// expect: imm violated assertion
// expect: riscv violated assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int taken, owner;
static int depth, a, b;

static void lock(int me)
{
    if (atomic_load_explicit(&owner, memory_order_relaxed) == me) {
        depth++;
        return;
    }
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
        ;
    atomic_store_explicit(&owner, me, memory_order_relaxed);
}

static void unlock(void)
{
    if (depth) {
        depth--;
        return;
    }
    atomic_store_explicit(&owner, 0, memory_order_relaxed);
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
}

static void *thread(void *arg)
{
    int me = (int)(intptr_t)arg;
    lock(me);
    lock(me);
    a++;
    b++;
    unlock();
    unlock();
    return 0;
}

int main(void)
{
    pthread_t t[3];
    for (intptr_t i = 0; i < 3; i++)
        pthread_create(&t[i], 0, thread, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(a == 3 && b == 3);
    return 0;
}
