// The count is not raised: ABA is possible, and so is that both threads find the first value.
// expect: rc11 violated assertion line=22
// check: --unroll 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
_Atomic __int128 wide;
void *step(void *arg) {
    __int128 old = atomic_load_explicit(&wide, memory_order_relaxed);
    (void)arg;
    atomic_store_explicit(&wide, old + ((__int128)1 << 100), memory_order_relaxed);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, step, 0);
    pthread_create(&b, 0, step, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    __int128 end = wide;
    atomic_fetch_add(&wide, 5);
    assert(end == (__int128)2 << 100);
}
