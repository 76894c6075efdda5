// A server that is asked for something else in every round, for ever: what was asked before is forgotten.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>
extern void abort(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state, last;
static void *serve(void *arg) {
    while (1) {
        int asked = __VERIFIER_nondet_int();
        pthread_mutex_lock(&lock);
        switch (asked) {
        case 0: state = 0; break;
        case 1: if (state == 0) state = 1; break;
        case 7: if (state == 1) state = 2; break;
        default: if (asked > 100 && asked < 1000) last = asked; break;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, serve, 0);
    pthread_create(&two, 0, serve, 0);
    while (1) {
        pthread_mutex_lock(&lock);
        if (state < 0 || state > 2 || (last != 0 && last <= 100)) reach_error();
        pthread_mutex_unlock(&lock);
    }
}
