// Producer and consumer, and a third thread that has nothing to do with them but the lock.
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, other;
static void *producer(void *arg) {
    pthread_mutex_lock(&m);
    items++;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&m);
    return arg;
}
static void *consumer(void *arg) {
    pthread_mutex_lock(&m);
    while (!items) pthread_cond_wait(&filled, &m);
    items--;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *third(void *arg) {
    pthread_mutex_lock(&m);
    other++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t[3];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    pthread_create(&t[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(!items && other == 1);
}
