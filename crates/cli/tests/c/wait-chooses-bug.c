// Whatever the waiting thread chooses, it goes round: nobody sets the flag if the other one chooses not to.
// expect: rc11 violated non-termination
// expect: sc violated non-termination
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sched.h>
#include <selvedge.h>
atomic_int flag;
void *set(void *arg) {
    if (selvedge_choose(2)) flag = 1;
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        if (rand() % 2) sched_yield();
    pthread_join(thread, 0);
}
