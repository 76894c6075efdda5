// As many threads as somebody likes: three of them are enough, and are tried first.
// check: --errors assertion
// expect: sc violated assertion
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int count;
void __VERIFIER_atomic_count(void) { count++; }
void *work(void *arg) {
    __VERIFIER_atomic_count();
    if (count == 3) reach_error();
    return arg;
}
int main(void) {
    pthread_t thread;
    while (__VERIFIER_nondet_int()) pthread_create(&thread, 0, work, 0);
}
