// The same where one of them is read after the lock was given back: it may be of another pair.
// check: --errors assertion
// expect: sc violated assertion
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
        unsigned l = low;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        unsigned h = high;
        pthread_mutex_unlock(&lock);
        if (l > h) reach_error();
    }
}
