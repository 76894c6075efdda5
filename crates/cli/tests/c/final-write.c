// The second of two ordered writes is the last one.
// expect: sc verified
// expect: rc11 verified
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
atomic_int x;
void *look(void *arg) { while (!x); return arg; }
int main(void) {
    pthread_t t;
    x = 0;
    pthread_create(&t, 0, look, 0);
    selvedge_final_write(atomic_store(&x, 1));
    pthread_join(t, 0);
}
