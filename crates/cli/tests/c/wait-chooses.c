// What the waiting thread chooses may lead on, so it does not wait for ever.
// expect: rc11 verified
// expect: sc verified
#include <pthread.h>
#include <stdatomic.h>
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
        if (selvedge_choose(2)) break;
    while (!flag)
        if (selvedge_choose(2) && flag != 1) break;
    pthread_join(thread, 0);
}
