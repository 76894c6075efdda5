// A flag that is only volatile is in a race.
// expect: rc11 violated data-race
// expect: sc violated data-race
// message: `volatile` does not make them atomic: `--volatile atomic`
#include <pthread.h>
volatile int f;
int d;
void *t(void *x) { d = 1; __sync_synchronize(); f = 1; return x; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    while (!f);
    __sync_synchronize();
    int r = d;
    pthread_join(p, 0);
    return r != 1;
}
