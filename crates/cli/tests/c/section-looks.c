// Loops that wait by looking at several variables in one atomic section: the ticket of each thread and the other's.
// check: --errors assertion,non-termination
// expect: sc verified
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
int ticket[2], inside;
void *work(void *arg) {
    int me = arg != 0, other = 1 - me;
    __VERIFIER_atomic_begin();
    ticket[me] = ticket[other] + 1;
    __VERIFIER_atomic_end();
    for (;;) {
        __VERIFIER_atomic_begin();
        _Bool mine = ticket[other] == 0 || ticket[me] < ticket[other];
        __VERIFIER_atomic_end();
        if (mine) break;
    }
    inside++;
    if (inside != 1) reach_error();
    inside--;
    __VERIFIER_atomic_begin();
    ticket[me] = 0;
    __VERIFIER_atomic_end();
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &ticket);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
