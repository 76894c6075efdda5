// A thread that could be joined waits when main has returned.
// expect: rc11 violated deadlock line=9
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int work;
void *serve(void *arg) {
    pthread_mutex_lock(&m);
    while (!work) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, serve, 0);
    return 0;
}
