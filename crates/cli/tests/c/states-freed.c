// Whoever takes an object off frees it, and another thread that has seen it before reads it afterwards. No
// other thread than the one that frees it writes to the object, which is no reason to look at one order only.
// check: --engine states --no-race-detection
// expect: sc violated use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *_Atomic shared;
static void *take(void *arg) {
    free(atomic_exchange(&shared, 0));
    return arg;
}
static void *give(void *arg) {
    int *own = malloc(sizeof *own);
    *own = 1;
    atomic_store(&shared, own);
    int *seen = atomic_load(&shared);
    return seen && *seen == 2 ? arg : 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, take, 0);
    pthread_create(&b, 0, give, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
