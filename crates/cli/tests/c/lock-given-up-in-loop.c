// A thread that gives a lock up and takes it again does not wait with the lock: whoever it waits for may have it in between.
// check: --errors assertion,deadlock,non-termination
// expect: sc verified
// expect: rc11 verified
#include <pthread.h>
#include <sched.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready;
void *set(void *arg) {
    pthread_mutex_lock(&lock);
    ready = 1;
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
