// expect: sc violated not-local
// expect: rc11 violated not-local line=20
// message: has for itself
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
atomic_int buffer[2];
void *own(void *arg) {
    atomic_int *mine = arg;
    selvedge_local(mine);
    mine[0] = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    buffer[1] = 3;
    pthread_create(&t, 0, own, buffer);


    buffer[1] = 4;
    pthread_join(t, 0);
}
