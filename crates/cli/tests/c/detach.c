// expect: rc11 verified
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *work(void *arg) { x++; return arg; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_detach(t);
    x++;
}
