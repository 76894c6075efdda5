// What comes before a section is ordered with what comes after another one only if the order of the sections is known.
// expect: rc11 violated data-race
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x, y, z;
static void *one(void *arg) {
    x = 1;
    pthread_mutex_lock(&m);
    y = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *other(void *arg) {
    pthread_mutex_lock(&m);
    z = 1;
    pthread_mutex_unlock(&m);
    x = 2;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
