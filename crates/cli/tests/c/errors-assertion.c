// expect: rc11 violated assertion line=10
// check: --errors assertion,deadlock
#include <assert.h>
#include <pthread.h>
int x;
void *t(void *a) { x = 1; return a; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    assert(x == 0);
    pthread_join(p, 0);
    return 0;
}
