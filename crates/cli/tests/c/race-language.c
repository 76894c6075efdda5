// Races are errors of the language: under every model of it, two plain accesses need more than an order in memory.
// expect: sc violated data-race
// expect: tso violated data-race
// expect: pso violated data-race
// expect: ra violated data-race
// expect: rlx violated data-race
// expect: rc11 violated data-race
// expect: x86 verified
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int flag;
void *run(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) data = 2;
    pthread_join(t, 0);
}
