// What comes from standard input is one number for all threads.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static int in;
static atomic_int x;
static void *put(void *arg) {
    if (in > 10) atomic_store(&x, 1);
    return arg;
}
static void *look(void *arg) {
    if (in <= 10) assert(atomic_load(&x) == 0);
    return arg;
}
int main(void) {
    pthread_t a, b;
    in = getchar();
    pthread_create(&a, 0, put, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
