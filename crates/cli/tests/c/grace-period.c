// Readers count themselves in words of their own, of two phases; who waits turns the phase over twice.
// expect: rc11 verified
// expect: armv8 verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define PHASE (1ul << 32)
static atomic_ulong period = 1, reader[2];
static _Atomic(int *) current;
static void begin(long i) {
    unsigned long phase = atomic_load_explicit(&period, memory_order_relaxed);
    atomic_store_explicit(&reader[i], phase, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}
static void end(long i) {
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&reader[i], 0, memory_order_relaxed);
}
static int reads(int i) {
    unsigned long since = atomic_load_explicit(&reader[i], memory_order_relaxed);
    return (since & 1) && ((since ^ atomic_load_explicit(&period, memory_order_relaxed)) & PHASE);
}
static void wait_for_readers(void) {
    atomic_thread_fence(memory_order_seq_cst);
    for (int k = 0; k < 2; k++) {
        unsigned long phase = atomic_load_explicit(&period, memory_order_relaxed);
        atomic_store_explicit(&period, phase ^ PHASE, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        for (int i = 0; i < 2; i++) while (reads(i)) ;
        atomic_thread_fence(memory_order_seq_cst);
    }
}
static void *run(void *arg) {
    begin((long)arg);
    int value = *atomic_load_explicit(&current, memory_order_acquire);
    assert(value == 1 || value == 2);
    end((long)arg);
    return 0;
}
int main(void) {
    pthread_t t[2];
    int *old = malloc(sizeof *old), *now = malloc(sizeof *now);
    *old = 1;
    *now = 2;
    atomic_store(&current, old);
    for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, run, (void *)i);
    atomic_store_explicit(&current, now, memory_order_release);
    wait_for_readers();
    free(old);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
