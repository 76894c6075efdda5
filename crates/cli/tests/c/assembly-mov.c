// On x86 a lock is given back by a plain move.
// expect: rc11 verified
// expect: tso verified
#include <assert.h>
#include <pthread.h>
static unsigned lock, count;
static unsigned swap(unsigned *at, unsigned value) {
    __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(*at) : : "memory");
    return value;
}
static void give(unsigned *at) { __asm__ volatile("movl %1, %0" : "=m"(*at) : "r"(0) : "memory"); }
void *thread(void *arg) {
    while (swap(&lock, 1)) __asm__ volatile("rep; nop" ::: "memory");
    count++;
    give(&lock);
    return arg;
}
int main(void) {
    pthread_t t, u;
    pthread_create(&t, 0, thread, 0);
    pthread_create(&u, 0, thread, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    assert(count == 2);
    return 0;
}
