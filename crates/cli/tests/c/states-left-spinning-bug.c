// The same, where it goes round a loop.
// check: --engine states
// expect: sc violated non-termination
#include <pthread.h>
#include <stdatomic.h>
static atomic_int busy = 1;
static void *wait(void *arg) {
    while (atomic_load(&busy));
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, wait, 0);
}
