// A message whose flag is relaxed: nothing happens before anything else, although every interleaving that sets
// the flag has written the data. States do not show it, so there is no verdict.
// check: --engine states
// expect: sc unknown
// expect: tso unknown
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int flag;
static void *writer(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    int seen = 0;
    if (atomic_load_explicit(&flag, memory_order_relaxed)) seen = data;
    pthread_join(thread, 0);
    return seen + data;
}
