// A variable that was never set has any value where nobody looks for that: one of them leads to the error.
// expect: sc violated assertion
// check: --errors assertion
#include <pthread.h>
extern void reach_error(void);
static int g = 17;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *t(void *a) {
    pthread_mutex_lock(&m);
    g = 42;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    int r;
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    pthread_mutex_lock(&m);
    if (!r && g != 17) reach_error();
    pthread_mutex_unlock(&m);
    pthread_join(p, 0);
    return 0;
}
