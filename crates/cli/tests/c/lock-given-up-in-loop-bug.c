// Nobody makes it ready: the thread that gives the lock up and takes it again does so for ever.
// check: --errors assertion,deadlock,non-termination
// expect: sc violated non-termination
// expect: rc11 violated non-termination
#include <pthread.h>
#include <sched.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready;
void *set(void *arg) {
    pthread_mutex_lock(&lock);
    ready = 0;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_mutex_unlock(&lock);
        sched_yield();
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
}
