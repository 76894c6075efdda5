// A thread ends with the lock.
// expect: rc11 violated deadlock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *one(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, one, NULL);
    pthread_mutex_lock(&m);
    y = 1;
    pthread_mutex_unlock(&m);
    pthread_join(a, NULL);
}
