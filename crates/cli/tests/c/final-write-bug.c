// expect: sc violated not-final
// expect: tso violated not-final
// expect: rc11 violated not-final
// message: was said to be the last one
#include <pthread.h>
#include <selvedge.h>
#include <stdatomic.h>
atomic_int x;
void *other(void *arg) { x = 2; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    selvedge_final_write(atomic_store(&x, 1));
    pthread_join(t, 0);
}
