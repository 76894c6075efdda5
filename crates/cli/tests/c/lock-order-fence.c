// Empty sections of one lock are in some order, and whoever comes second sees what was written before the first. Their
// order matters although they have nothing in common.
// expect: rc11 verified
// expect: ra verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;
static int seen_x, seen_y;
static void *one(void *arg) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    seen_y = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}
static void *other(void *arg) {
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    seen_x = atomic_load_explicit(&x, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(seen_x || seen_y);
}
