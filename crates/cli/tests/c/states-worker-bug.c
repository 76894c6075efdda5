// The same with a phase too many; the search finds it, too, where functions that are errors by their names are empty.
// check: --errors assertion
// expect: sc violated assertion
#include <pthread.h>
extern void abort(void);
void reach_error(void) {}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int phase;
static void *turn(void *arg) {
    while (1) {
        pthread_mutex_lock(&lock);
        phase = (phase + 1) % 3;
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
