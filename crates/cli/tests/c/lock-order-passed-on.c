// The sections have nothing in common, but a flag says which one came first: no race.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data, y, z;
static atomic_int done;
static void *one(void *arg) {
    data = 1;
    pthread_mutex_lock(&m);
    y = 1;
    pthread_mutex_unlock(&m);
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    return arg;
}
static void *other(void *arg) {
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        ;
    pthread_mutex_lock(&m);
    z = 1;
    pthread_mutex_unlock(&m);
    assert(data == 1);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
