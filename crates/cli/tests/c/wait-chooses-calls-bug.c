// What the waiting thread chooses is in a function that it calls: it goes round all the same, if the other one comes late.
// expect: rc11 violated non-termination
// expect: sc violated non-termination
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
atomic_int flag, first;
static void back_off(void) {
    if (rand() % 2) sched_yield();
}
void *set(void *arg) {
    if (atomic_exchange(&first, 1) == 0) flag = 1;
    return arg;
}
void *hurry(void *arg) {
    atomic_exchange(&first, 1);
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, set, 0);
    pthread_create(&two, 0, hurry, 0);
    while (!flag)
        back_off();
    pthread_join(one, 0);
    pthread_join(two, 0);
}
