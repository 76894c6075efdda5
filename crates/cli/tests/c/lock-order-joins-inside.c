// A section waits for the end of a thread that has one of its own.
// expect: rc11 violated deadlock
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *one(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, one, NULL);
    pthread_mutex_lock(&m);
    y = 1;
    pthread_join(a, NULL);
    pthread_mutex_unlock(&m);
}
