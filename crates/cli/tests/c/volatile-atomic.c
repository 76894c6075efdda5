// The same flag, taken for a relaxed atomic: the fences order the data.
// expect: rc11 verified executions=1
// expect: x86 verified
// check: --volatile atomic
#include <assert.h>
#include <pthread.h>
volatile int f;
int d;
void *t(void *x) { d = 1; __sync_synchronize(); f = 1; return x; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    while (!f);
    __sync_synchronize();
    assert(d == 1);
    pthread_join(p, 0);
    return 0;
}
