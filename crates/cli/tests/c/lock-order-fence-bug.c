// Empty sections of two locks order nothing.
// expect: rc11 violated assertion line=29
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
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
