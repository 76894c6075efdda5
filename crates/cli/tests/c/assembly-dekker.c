// Locked instructions are full fences, and `lock; addl $0` is nothing else; a plain move is none.
// expect: x86 verified
// expect: rc11 verified
// args: -DFENCE=1
// args: -DFENCE=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y, other;
int a, b;
static void fence(void) {
#if FENCE == 1
    __asm__ volatile("lock; addl $0,-4(%%rsp)" ::: "memory");
#elif FENCE == 2
    int one = 1;
    __asm__ volatile("lock xaddl %0, %1" : "+r"(one), "+m"(*(int *)&other)::"memory");
#endif
}
static void *t(void *p) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence();
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return p;
}
int main(void) {
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence();
    b = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(p, 0);
    assert(a || b);
    return 0;
}
