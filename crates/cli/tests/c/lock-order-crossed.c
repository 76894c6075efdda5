// Locks within each other in two orders, around data that is not shared.
// expect: rc11 violated deadlock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int x[2];
static void take(pthread_mutex_t *first, pthread_mutex_t *second, int *data) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    ++*data;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *one(void *arg) {
    take(&m, &n, &x[0]);
    return arg;
}
static void *other(void *arg) {
    take(&n, &m, &x[1]);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
