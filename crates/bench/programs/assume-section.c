// assume-section(N): N threads count under a lock, twice each; the first thread looks whether all are done, under
// the lock, and assumes that they are. Only the place after all others is of interest: (2N)!/2^N executions.
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 2
#endif

extern void __VERIFIER_assume(int);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *thread(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        count++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[N];
    int done;

    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    pthread_mutex_lock(&mutex);
    done = count == 2 * N;
    pthread_mutex_unlock(&mutex);
    __VERIFIER_assume(done);
    return 0;
}
