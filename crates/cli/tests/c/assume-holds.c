// Where the assumption holds, there is something to verify.
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
extern void __VERIFIER_assume(int);
atomic_int f, g;
void *kill(void *arg) {
    __VERIFIER_assume(atomic_load(&g) == 0);
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
