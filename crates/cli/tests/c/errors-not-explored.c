// After a use of freed memory nothing is known: that nobody asked for it makes no verdict.
// expect: rc11 unknown
// check: --errors assertion
// message: use-after-free at errors-not-explored.c:12 is not looked for
#include <stdlib.h>
#include <pthread.h>
void *t(void *a) { return a; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    int *x = malloc(4); *x = 1; free(x);
    int r = *x;
    pthread_join(p, 0);
    return r;
}
