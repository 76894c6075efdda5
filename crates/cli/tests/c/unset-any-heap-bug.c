// The same of memory from `malloc`, one element of which nobody writes.
// expect: sc violated assertion
// check: --errors assertion
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);
static int *array, at = -1;
static void *t(void *a) {
    array[at] = 1;
    return a;
}
int main(void) {
    pthread_t p[2];
    array = malloc(2 * sizeof(int));
    for (int i = 0; i < 2; i++) {
        at++;
        pthread_create(&p[i], 0, t, 0);
    }
    for (int i = 0; i < 2; i++) pthread_join(p[i], 0);
    if (array[0] + array[1] != 2) reach_error();
    return 0;
}
