// The same without the lock in one of the threads: a race, under every model.
// check: --engine states
// expect: sc violated data-race
// expect: tso violated data-race
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *work(void *arg) {
    if (arg) pthread_mutex_lock(&lock);
    count++;
    if (arg) pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, i ? &count : 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}
