// A section waits for what comes after another one: whoever comes first, if it is this one, waits for ever.
// expect: rc11 violated non-termination
// expect: sc violated non-termination
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int go;
static void *one(void *arg) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    atomic_store(&go, 1);
    return arg;
}
static void *other(void *arg) {
    pthread_mutex_lock(&m);
    while (!atomic_load(&go))
        ;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
