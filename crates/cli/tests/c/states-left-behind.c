// The process does not wait for a detached thread once main has returned: that it waits for ever is no error.
// check: --engine states
// expect: sc verified
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *wait(void *arg) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_mutex_lock(&lock);
    pthread_create(&a, 0, wait, 0);
    pthread_detach(a);
}
