// What is asked for is found behind, and beside, what is not.
// expect: rc11 violated deadlock
// check: --errors deadlock
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int racy;
static void *t(void *x) {
    racy = 1;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return x;
}
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    racy = 2;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    pthread_join(p, 0);
    return 0;
}
