// What is sorted is read and written.
// expect: rc11 violated data-race
#include <pthread.h>
#include <stdlib.h>
int a[2] = {2, 1};
static int by_value(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
static void *t(void *x) { qsort(a, 2, sizeof *a, by_value); return x; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    int r = a[1];
    pthread_join(p, 0);
    return r == 3;
}
