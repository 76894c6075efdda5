// A thread that could be joined waits for ever when main has returned: an error by states as by executions.
// check: --engine states
// expect: sc violated deadlock
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
}
