// Who does not ask for races has plain accesses explored like relaxed ones.
// expect: rc11 verified
// expect: sc verified
// check: --errors assertion
#include <assert.h>
#include <pthread.h>
int x;
void *t(void *a) { x = 1; return a; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    assert(x == 0 || x == 1);
    pthread_join(p, 0);
    assert(x == 1);
    return 0;
}
