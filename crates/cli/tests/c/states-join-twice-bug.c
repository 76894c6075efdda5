// Two threads join the same one.
// check: --engine states
// expect: sc violated invalid-join
#include <pthread.h>
static pthread_t first;
static void *nothing(void *arg) { return arg; }
static void *join(void *arg) {
    pthread_join(first, 0);
    return arg;
}
int main(void) {
    pthread_t second;
    pthread_create(&first, 0, nothing, 0);
    pthread_create(&second, 0, join, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
}
