// Copying a lock is reading it, while another thread takes it.
// expect: rc11 violated data-race
// expect: sc violated data-race
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, copy;
static int x;
static void *one(void *arg) {
    pthread_mutex_lock(&m);
    x = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, one, NULL);
    copy = m;
    pthread_join(a, NULL);
}
