// Plain accesses under a mutex, and what each thread found where others may look after they have joined it: no
// races, which a search sees under every model.
// check: --engine states
// expect: sc verified
// expect: tso verified
// expect: pso verified
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, found[2];
static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    *(int *)arg = ++count;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, work, &found[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    assert(found[0] + found[1] == 3);
}
