// Sections that only read what they have in common: one execution.
// expect: rc11 verified executions=1
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int shared = 7, copies[3];
static void *worker(void *arg) {
    pthread_mutex_lock(&m);
    copies[(long)arg] = shared;
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(copies[0] + copies[1] + copies[2] == 21);
}
