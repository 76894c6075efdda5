// The thread that gives the buffer away no longer uses it.
// expect: sc verified
// expect: rc11 verified
#include <pthread.h>
#include <selvedge.h>
int buffer[2];
void *own(void *arg) {
    int *mine = arg;
    selvedge_local(mine);
    mine[0] = 1;
    mine[1] = mine[0];
    return arg;
}
int main(void) {
    pthread_t t;
    buffer[0] = buffer[1] = 0;
    pthread_create(&t, 0, own, buffer);
    pthread_join(t, 0);
}
