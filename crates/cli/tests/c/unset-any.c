// The value that a variable has without having been set is the same at every use.
// expect: sc verified
// check: --errors assertion
#include <pthread.h>
extern void reach_error(void);
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *t(void *a) {
    int r, held = 0;
    if (r) {
        pthread_mutex_lock(&m);
        held = 1;
        n++;
    }
    if (r && !held) reach_error();
    if (held) pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t p, q;
    pthread_create(&p, 0, t, 0);
    pthread_create(&q, 0, t, 0);
    pthread_join(p, 0);
    pthread_join(q, 0);
    if (n > 2) reach_error();
    return 0;
}
