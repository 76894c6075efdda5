// A lock of readers that changes while one of them is about to take it: that attempt is no wait for ever,
// also while another thread goes round.
// check: --engine states --no-race-detection
// expect: sc verified
#include <pthread.h>
#include <stdatomic.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int go;
static void *reader(void *arg) {
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    if (arg) atomic_store(&go, 1);
    return 0;
}
static void *waits(void *arg) {
    while (!atomic_load(&go)) {
    }
    return arg;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, waits, 0);
    pthread_create(&c, 0, reader, &lock);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
