// Functions are sections by their names; those in sections, and sections in them, are part of them.
// expect: sc verified
#include <pthread.h>
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y;
static void add(void) {
    __VERIFIER_atomic_begin();
    x++;
    __VERIFIER_atomic_end();
}
int __VERIFIER_atomic_swap(int with) {
    int old = y;
    y = with;
    add();
    return old;
}
void *run(void *arg) {
    __VERIFIER_atomic_begin();
    x++;
    add();
    int old = __VERIFIER_atomic_swap(x);
    if (old != 0 && old != 2 && old != 3) reach_error();
    x -= 2;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    int seen = x;
    if (seen > 2) reach_error();
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (x != 2) reach_error();
}
