// Two loops side by side: 14 steps each have millions of executions, and some thousand states.
// check: --errors assertion
// expect: sc verified
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void reach_error(void) {}
static int i = 3, j = 6;
static void *first(void *arg) {
    for (int k = 0; k < 7; k++) {
        __VERIFIER_atomic_begin();
        i = j + 1;
        __VERIFIER_atomic_end();
    }
    return arg;
}
static void *second(void *arg) {
    for (int k = 0; k < 7; k++) {
        __VERIFIER_atomic_begin();
        j = i + 1;
        __VERIFIER_atomic_end();
    }
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (i > 20 || j > 20) reach_error();
    return 0;
}
