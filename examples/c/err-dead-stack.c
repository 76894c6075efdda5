// A function lends a local variable to a thread and returns without waiting: the thread may write to a
// frame that is gone.
// expect: sc violated dead-stack
// expect: tso violated dead-stack
// expect: rc11 violated dead-stack
#include <pthread.h>
#include <stdatomic.h>

static void *worker(void *arg)
{
    atomic_int *result = arg;
    atomic_store(result, 42);
    return NULL;
}

static pthread_t start(void)
{
    atomic_int result = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &result);
    return thread;
}

int main(void)
{
    pthread_t thread = start();
    pthread_join(thread, NULL);
    return 0;
}
