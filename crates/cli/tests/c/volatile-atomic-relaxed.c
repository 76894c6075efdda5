// Relaxed is all that it is: without fences, the data are in a race.
// expect: rc11 violated data-race line=10
// check: --volatile atomic
#include <pthread.h>
volatile long f;
int d;
void *t(void *x) { d = 1; f = 1; return x; }
int main(void) {
    pthread_t p; pthread_create(&p, 0, t, 0);
    int r = f ? d : 1;
    pthread_join(p, 0);
    return r != 1;
}
