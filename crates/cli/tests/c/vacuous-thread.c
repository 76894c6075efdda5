// The first thread is killed by an assumption, so the execution does not count, and that the second one waits is no error.
// expect: rc11 unknown
// message: nothing was checked
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_assume(int);
atomic_int f, g;
void *kill(void *arg) {
    __VERIFIER_assume(atomic_load(&g) == 5);
    atomic_store(&f, 1);
    return arg;
}
void *wait(void *arg) {
    while (!atomic_load(&f));
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, kill, 0);
    pthread_create(&b, 0, wait, 0);
}
