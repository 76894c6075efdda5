// Twelve writers and a reader: only what the first writer does first can be seen, which an exploration comes to last.
// check: --errors assertion
// expect: sc violated assertion
#include <pthread.h>
void reach_error(void) {}
static int a, b;
static void *set(void *arg) {
    a = 1;
    b = -1;
    return arg;
}
static void *look(void *arg) {
    if (!((a == 0 && b == 0) || (a == 1 && b == -1))) reach_error();
    return arg;
}
int main(void) {
    pthread_t setters[12], looker;
    for (int i = 0; i < 12; i++) pthread_create(&setters[i], 0, set, 0);
    pthread_create(&looker, 0, look, 0);
    for (int i = 0; i < 12; i++) pthread_join(setters[i], 0);
    pthread_join(looker, 0);
    return 0;
}
