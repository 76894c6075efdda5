// Locks within each other, always in the same order: the inner sections that have nothing in common are not ordered.
// expect: rc11 verified executions=6
#include <pthread.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int x[4];
static void *worker(void *arg) {
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    x[(long)arg]++;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return NULL;
}
static void *plain(void *arg) {
    pthread_mutex_lock(&inner);
    x[(long)arg]++;
    pthread_mutex_unlock(&inner);
    return NULL;
}
int main(void) {
    pthread_t t[4];
    for (long i = 0; i < 4; i++) pthread_create(&t[i], NULL, i < 3 ? worker : plain, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}
