// A reader-writer lock that counts, with the attempt before the loop and at the end of its iterations.
// For two readers and two writers there are 48 orders.
// expect: sc verified executions=48
// expect: rc11 verified executions=48
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#define BIAS 0x100000
struct lock { int unused; atomic_int count; };
static struct lock lock = {0, BIAS};
static int shared;
static void read_lock(struct lock *l) {
    int before = atomic_fetch_sub_explicit(&l->count, 1, memory_order_acquire);
    while (before <= 0) {
        atomic_fetch_add_explicit(&l->count, 1, memory_order_relaxed);
        while (atomic_load_explicit(&l->count, memory_order_relaxed) <= 0)
            sched_yield();
        before = atomic_fetch_sub_explicit(&l->count, 1, memory_order_acquire);
    }
}
static void write_lock(struct lock *l) {
    int before = atomic_fetch_sub_explicit(&l->count, BIAS, memory_order_acquire);
    while (before != BIAS) {
        atomic_fetch_add_explicit(&l->count, BIAS, memory_order_relaxed);
        while (atomic_load_explicit(&l->count, memory_order_relaxed) != BIAS)
            sched_yield();
        before = atomic_fetch_sub_explicit(&l->count, BIAS, memory_order_acquire);
    }
}
static void *reader(void *arg) {
    read_lock(&lock);
    int seen = shared;
    atomic_fetch_add_explicit(&lock.count, 1, memory_order_release);
    return seen ? arg : 0;
}
static void *writer(void *arg) {
    write_lock(&lock);
    shared++;
    atomic_fetch_add_explicit(&lock.count, BIAS, memory_order_release);
    return arg;
}
int main(void) {
    pthread_t t[4];
    int which[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, i < 2 ? reader : writer, &which[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
}
