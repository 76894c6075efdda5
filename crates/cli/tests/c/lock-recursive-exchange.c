// A lock that its owner may take again. Who looks whether it is the owner has loose pairs in its section: relaxed accesses,
// and plain ones of different variables. They are on no way from one section to the next that is not ordered otherwise.
// expect: rc11 verified executions=90
// expect: armv8 verified executions=90
// expect: imm verified executions=90
// expect: riscv verified executions=90
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
    atomic_store_explicit(&taken, 0, memory_order_release);
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
