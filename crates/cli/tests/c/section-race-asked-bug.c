// Who asks for data races by name asks what the competition's property says: what is in a section is atomic,
// what is not is plain.
// check: --errors data-race
// expect: sc violated data-race
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x, y, z;
void *run(void *arg) {
    __VERIFIER_atomic_begin();
    x = 1;
    y = 1;
    __VERIFIER_atomic_end();
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, run, 0);
    z = x;
    pthread_join(a, 0);
}
