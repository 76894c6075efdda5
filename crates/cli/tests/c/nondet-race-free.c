// They never both write.
// expect: sc verified
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int shared, n;
void *write(void *arg) { if (n > 7) shared = 1; return 0; }
int main(void) {
    pthread_t a;
    n = __VERIFIER_nondet_int();
    pthread_create(&a, 0, write, 0);
    if (n <= 7) shared = 2;
    pthread_join(a, 0);
}
