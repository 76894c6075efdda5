// A thread is joined that has detached itself.
// check: --engine states
// expect: sc violated invalid-join
#include <pthread.h>
static void *alone(void *arg) {
    pthread_detach(pthread_self());
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, alone, 0);
    pthread_join(a, 0);
}
