// Flat combining: whoever has the lock does what the others ask for.
// expect: rc11 verified
// expect: imm verified
// expect: armv8 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { N = 2 };
static atomic_int lock, asked[N], answer[N];
static int count;
static void *run(void *arg) {
    long me = (long)arg;
    atomic_store_explicit(&asked[me], 1, memory_order_release);
    while (atomic_load_explicit(&asked[me], memory_order_acquire)) {
        int free = 0;
        if (!atomic_compare_exchange_strong_explicit(&lock, &free, 1, memory_order_acquire, memory_order_relaxed)) continue;
        for (int i = 0; i < N; i++) {
            if (!atomic_load_explicit(&asked[i], memory_order_acquire)) continue;
            atomic_store_explicit(&answer[i], ++count, memory_order_relaxed);
            atomic_store_explicit(&asked[i], 0, memory_order_release);
        }
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
    assert(atomic_load_explicit(&answer[me], memory_order_relaxed) > 0);
    return 0;
}
int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    assert(count == N);
}
