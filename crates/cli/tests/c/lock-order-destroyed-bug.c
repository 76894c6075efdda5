// The lock is destroyed before its last section has ended.
// expect: rc11 violated lock-misuse
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int inside;
static void *one(void *arg) {
    pthread_mutex_lock(&m);
    atomic_store(&inside, 1);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, one, NULL);
    while (!atomic_load(&inside))
        ;
    pthread_mutex_destroy(&m);
    pthread_join(a, NULL);
}
