// Who waits sleeps for a time that is written down in the loop, or lets the system wait.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/select.h>
#include <time.h>
static atomic_int ready, seen;
static int data;
static void *run(void *arg) {
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
        struct timespec pause = {0, 1000};
        nanosleep(&pause, 0);
    }
    assert(data == 1);
    atomic_store(&seen, 1);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    while (!atomic_load(&seen)) {
        struct timeval pause = {0, 500};
        select(0, 0, 0, 0, &pause);
    }
    pthread_join(t, 0);
}
