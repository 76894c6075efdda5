// As pmem-counter.c, but the counter is not written back before it is reported.
//
// expect: px86 tso violated recovery-assertion

#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>

static struct {
    _Alignas(64) _Atomic long count;
    _Alignas(64) _Atomic long reported;
} store;

void __VERIFIER_recovery_routine(void)
{
    long reported = store.reported;
    long count = store.count;
    assert(count >= reported);
    assert(count <= 2);
}

static void *worker(void *arg)
{
    long now = atomic_fetch_add(&store.count, 1) + 1;
    _mm_sfence();
    if (now == 2)
        atomic_store(&store.reported, now);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    selvedge_durable(&store, sizeof store);
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
