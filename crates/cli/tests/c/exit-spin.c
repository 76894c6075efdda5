// Another thread spins for ever, but the process ends.
// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int never;
void *spin(void *arg) { while (!never); return arg; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, spin, 0);
    _Exit(3);
}
