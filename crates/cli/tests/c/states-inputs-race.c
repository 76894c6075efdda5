// An array of locks, one for each element, and an element that is an input: no race, for ever.
// check: --errors data-race
// expect: sc verified
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void assume_abort_if_not(int cond) {
    if (!cond) abort();
}
static struct slot {
    pthread_mutex_t lock;
    int value;
} slots[2];
static void *touch(void *arg) {
    while (1) {
        int i = __VERIFIER_nondet_int();
        assume_abort_if_not(i >= 0 && i < 2);
        pthread_mutex_lock(&slots[i].lock);
        slots[i].value = !slots[i].value;
        pthread_mutex_unlock(&slots[i].lock);
    }
    return arg;
}
int main(void) {
    for (int i = 0; i < 2; i++) pthread_mutex_init(&slots[i].lock, 0);
    pthread_t one, two;
    pthread_create(&one, 0, touch, 0);
    pthread_create(&two, 0, touch, 0);
    pthread_join(one, 0);
    return 0;
}
