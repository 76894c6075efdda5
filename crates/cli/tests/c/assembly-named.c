// The same register as an input and as an output, by its name; an operand that is tied.
// expect: rc11 verified
#include <assert.h>
static long cas(long *p, long o, long n) {
    long r;
    __asm__ volatile("lock cmpxchg %2, %1" : "=a"(r), "+m"(*p) : "r"(n), "a"(o) : "memory");
    return r;
}
static int twice(int *p, int v) {
    int r;
    __asm__ volatile("lock xaddl %0, %1\n\tlock xaddl %2, %1" : "=r"(r), "+m"(*p) : "0"(v) : "memory");
    return r;
}
int main(void) {
    long x = 1;
    int y = 3;
    assert(cas(&x, 1, 2) == 1 && x == 2 && cas(&x, 1, 3) == 2 && x == 2);
    // The second one adds what the first one left in the register.
    assert(twice(&y, 2) == 5 && y == 8);
    return 0;
}
