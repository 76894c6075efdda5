// Bits of memory, flags for carries, and calculation in registers, as x86 has them.
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
static long map[2];
static int won;
static bool set_bit(long nr, long *at) {
    bool was;
    __asm__ volatile("lock; btsq %2,%1" : "=@ccc"(was), "+m"(*at) : "r"(nr) : "memory");
    return was;
}
static int clear_bit(int nr, int *at) {
    int was;
    __asm__ volatile("lock btrl %2,%1\n\tsbbl %0,%0" : "=r"(was), "+m"(*at) : "r"(nr) : "memory", "cc");
    return was;
}
static bool flip(int *at) {
    unsigned char was;
    __asm__ volatile("lock btcl $1,%0; setc %1" : "+m"(*at), "=qm"(was) : : "memory", "cc");
    return was;
}
static void *run(void *arg) {
    if (!set_bit(70, map)) __sync_fetch_and_add(&won, 1);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(won == 1 && map[0] == 0 && map[1] == 1L << 6);
    int word = 1 << 5, x = 12, y = 5, z;
    assert(clear_bit(5, &word) == -1 && word == 0 && clear_bit(5, &word) == 0);
    assert(!flip(&word) && word == 2 && flip(&word) && word == 0);
    assert(!set_bit(-64, map + 1) && map[0] == 1);
    __asm__("addl %1,%0\n\tnotl %0" : "+r"(x) : "r"(y));
    assert(x == ~17);
    __asm__("xorl %0,%0; incl %0; shll $3,%0; negl %0" : "=&r"(z) : "0"(y));
    assert(z == -8);
    unsigned char less, zero;
    __asm__("cmpl %2,%3; sete %0; testl %2,%2; setz %1" : "=q"(less), "=q"(zero) : "r"(y), "r"(5));
    assert(less && !zero);
}
