// Waiting by a read that is made as a read-modify-write that adds 0.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int grant;
int data;
static void *run(void *arg) {
    data = 1;
    atomic_store_explicit(&grant, 1, memory_order_release);
    while (atomic_fetch_add_explicit(&grant, 0, memory_order_acquire) != 0) ;
    assert(data == 2);
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    while (atomic_fetch_sub_explicit(&grant, 0, memory_order_acquire) != 1) ;
    assert(data == 1);
    data = 2;
    atomic_store_explicit(&grant, 0, memory_order_release);
    pthread_join(t, 0);
}
