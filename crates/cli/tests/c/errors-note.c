// A kind that is not looked for ends the process, and there is nothing else wrong.
// expect: rc11 verified
// check: --errors assertion,deadlock
#include <limits.h>
#include <pthread.h>
static void *t(void *a) { volatile int x = INT_MAX; x = x + 1; return a; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    pthread_join(p, 0);
    return 0;
}
