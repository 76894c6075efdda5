// What another thread writes to is freed by who made it and set it, while a third thread runs. The search began
// anew for ever, as it relied each time on what it had found out not to be so.
// check: --engine states --errors assertion
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static int other;
static void *set(void *arg) {
    *(int *)arg = 2;
    return 0;
}
static void *count(void *arg) {
    for (int i = 0; i < 3; i++) other++;
    return arg;
}
int main(void) {
    pthread_t setter, counter;
    int *p = malloc(sizeof *p);
    *p = 1;
    pthread_create(&counter, 0, count, 0);
    pthread_create(&setter, 0, set, p);
    pthread_join(setter, 0);
    free(p);
    pthread_join(counter, 0);
    assert(other == 3);
}
