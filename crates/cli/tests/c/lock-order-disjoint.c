// Sections of one lock on data of their own: one execution.
// expect: rc11 verified executions=1
// expect: tso verified executions=1
// expect: sc verified executions=1
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x[3];
static void *worker(void *arg) {
    for (int k = 0; k < 3; k++) {
        pthread_mutex_lock(&m);
        x[(long)arg]++;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}
int main(void) {
    pthread_t t[3];
    for (long i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(x[0] == 3 && x[1] == 3 && x[2] == 3);
}
