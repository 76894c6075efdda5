// The same with a release, an acquire fence, a lock, and the ends of threads.
// expect: sc verified
// expect: tso verified
// expect: pso verified
// expect: ra verified
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
int data, locked;
atomic_int flag;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *run(void *arg) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    pthread_mutex_lock(&m);
    locked++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    data = 0;
    pthread_create(&t, 0, run, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        data = 2;
    }
    pthread_mutex_lock(&m);
    locked++;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    data = 3;
}
