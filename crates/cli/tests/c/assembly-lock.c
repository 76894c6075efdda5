// A spin lock in assembly.
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
static int locked;
static int n;
static void take(void) {
    int old;
    do {
        __asm__ volatile("lock; cmpxchgl %2, %1" : "=a"(old), "+m"(locked) : "r"(1), "0"(0) : "memory");
    } while (old);
}
static void leave(void) {
    int zero = 0;
    __asm__ volatile("xchgl %0, %1" : "+r"(zero), "+m"(locked)::"memory");
}
static void *t(void *p) { take(); n++; leave(); return p; }
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    t(0);
    pthread_join(p, 0);
    assert(n == 2);
    return 0;
}
