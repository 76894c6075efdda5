// What threads print is in the order of the execution that is shown.
// expect: rc11 violated assertion
// output: main
// output: thread
// output: last 1
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
int x;
void *work(void *arg) { x = 1; printf("thread\n"); return arg; }
int main(void) {
    pthread_t t;
    printf("main\n");
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    printf("last %d\n", x);
    assert(x == 0);
}
