// A thread that goes round for ever beside one that does so ten times: few states, and no end of executions.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>
extern void abort(void);
void reach_error(void) {}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int phase;
static void *turn(void *arg) {
    while (1) {
        pthread_mutex_lock(&lock);
        phase = phase ? 0 : 1;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, turn, 0);
    for (int i = 0; i < 10; i++) {
        pthread_mutex_lock(&lock);
        if (phase < 0 || phase > 1) reach_error();
        pthread_mutex_unlock(&lock);
    }
    return 0;
}
