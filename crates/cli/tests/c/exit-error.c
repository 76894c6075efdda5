// What other threads do before the exit still counts.
// expect: rc11 violated assertion line=6
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
void *fail(void *arg) { assert(arg); return arg; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, fail, 0);
    exit(0);
}
