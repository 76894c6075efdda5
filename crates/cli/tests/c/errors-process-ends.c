// An error that is not asked for ends the process; what other threads do is explored all the same.
// expect: rc11 violated assertion line=6
// check: --errors assertion
#include <assert.h>
#include <pthread.h>
void *t(void *a) { assert(0); return a; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    int *nowhere = 0;
    *nowhere = 1;
    pthread_join(p, 0);
    return 0;
}
