// Two loops up to numbers that nobody knows: a few rounds of each are enough, and are tried first.
// check: --errors assertion
// expect: sc violated assertion
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int x;
void *ones(void *arg) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) x = x + 1;
    return arg;
}
void *twos(void *arg) {
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) x = x + 2;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, ones, 0);
    pthread_create(&b, 0, twos, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x == 4) reach_error();
}
