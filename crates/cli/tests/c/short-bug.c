// With longs of 32 bits, a sum wraps around that does not with 64: the assertion fails.
// args: -m32
// expect: sc violated assertion line=17
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static unsigned long *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *add(void *arg) {
    pthread_mutex_lock(&lock);
    *shared += 0x80000000UL;
    pthread_mutex_unlock(&lock);
    return arg;
}
static void check(unsigned long sum) {
    // Right with 64 bits.
    assert(sum != 0);
}
int main(void) {
    pthread_t a, b;
    shared = calloc(1, sizeof *shared);
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    check(*shared);
    return 0;
}
