// Two numbers that were found to be in order stay so while they are in memory, whoever looks at them, and as often.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>
extern void abort(void);
extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned low, high;
static void *widen(void *arg) {
    while (1) {
        unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
        pthread_mutex_lock(&lock);
        if (a <= b) {
            low = a;
            high = b;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, widen, 0);
    while (1) {
        pthread_mutex_lock(&lock);
        unsigned l = low, h = high;
        pthread_mutex_unlock(&lock);
        if (l > h) reach_error();
    }
}
