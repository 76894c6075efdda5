// A bound that the program states cuts the loop that it is in, and the report says so.
// expect: sc bounded
#include <pthread.h>
#include <stdatomic.h>
#include <genmc.h>
atomic_int x;
void *t(void *a) { return (void *)(long)atomic_fetch_add(&x, 2); }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    while (atomic_fetch_add(&x, 1) < 6) {
        __VERIFIER_loop_bound(3);
    }
    pthread_join(p, 0);
    return 0;
}
