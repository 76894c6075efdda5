// A function lends a local variable to a thread and waits for the thread before it returns.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    pthread_join(thread, NULL);
    return thread;
}

int main(void)
{
    start();
    return 0;
}
