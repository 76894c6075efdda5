// The same with a thread that does not give its ticket back: the other one looks for ever.
// check: --errors assertion,non-termination
// expect: sc violated non-termination
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int ticket[2];
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
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, &ticket);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
