// The bound stands before the loop that it is about, inside of another one that it is not about.
// expect: sc verified executions=5
// check: --unroll 2
#include <pthread.h>
#include <stdatomic.h>
void verification_loop_bound(int n);
atomic_int x;
void *t(void *a) { return (void *)(long)atomic_fetch_add(&x, 1); }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    for (int i = 0; i < 1; i++) {
        verification_loop_bound(5);
        while (atomic_fetch_add(&x, 1) < 3);
    }
    pthread_join(p, 0);
    return 0;
}
