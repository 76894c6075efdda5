// The same, where the other thread may see only one of the numbers changed: in some round it does.
// check: --errors assertion
// expect: sc violated assertion
#include <pthread.h>
void reach_error(void) {}
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *serve(void *arg) {
    while (1) {
        pthread_mutex_lock(&lock);
        x = (x + 1) % 4;
        if (x != 3) y = (y + 1) % 4;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
static void *look(void *arg) {
    while (1) {
        pthread_mutex_lock(&lock);
        if (x != y) reach_error();
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, serve, 0);
    pthread_create(&b, 0, look, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
