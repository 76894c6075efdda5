// Atomics of x86, as libraries write them.
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <stdint.h>
static void add(int *p, int v) { __asm__ volatile("lock; addl %1,%0" : "+m"(*p) : "ir"(v) : "memory", "cc"); }
static int xadd(int *p, int v) { __asm__ volatile("lock xaddl %0, %1" : "+r"(v), "+m"(*p)::"memory", "cc"); return v; }
static int cas(int *p, int o, int n) {
    int r;
    __asm__ volatile("lock; cmpxchgl %2,%1" : "=a"(r), "+m"(*p) : "r"(n), "0"(o) : "memory");
    return r;
}
static char cas_set(long *p, long o, long n) {
    char r;
    __asm__ volatile("lock; cmpxchgq %3,%1; sete %0" : "=q"(r), "+m"(*p), "+a"(o) : "r"(n) : "memory");
    return r;
}
static _Bool cas_flag(long *p, long o, long n) {
    _Bool r;
    __asm__ volatile("lock cmpxchgq %[n],%[p]" : "=@ccz"(r), [p] "+m"(*p), "+a"(o) : [n] "r"(n) : "memory");
    return r;
}
static int xchg(int *p, int v) {
    __asm__ volatile("xchgl %0,%1" : "=r"(v), "=m"(*p) : "0"(v), "m"(*p) : "memory");
    return v;
}
static short xchg_there(short *p, short v) { __asm__ volatile("xchgw %0,(%1)" : "+r"(v) : "r"(p) : "memory"); return v; }
static _Bool cas16(__int128 *p, long *lo, long *hi, long nl, long nh) {
    _Bool r;
    __asm__ volatile("lock cmpxchg16b %1; setz %0"
                     : "=q"(r), "+m"(*p), "+a"(*lo), "+d"(*hi) : "b"(nl), "c"(nh) : "memory", "cc");
    return r;
}
static _Bool cas8(uint64_t *p, uint32_t *lo, uint32_t *hi, uint32_t nl, uint32_t nh) {
    _Bool r;
    __asm__ volatile("lock; cmpxchg8b %1\n\tsetz %0"
                     : "=q"(r), "+m"(*p), "+a"(*lo), "+d"(*hi) : "b"(nl), "c"(nh) : "memory", "cc");
    return r;
}
static void inc(long *p) { __asm__ volatile("lock; incq %0" : "=m"(*p) : "m"(*p)); }
static _Bool dec_is_zero(int *p) {
    unsigned char c;
    __asm__ volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(c)::"memory");
    return c != 0;
}
static int load(int *p) { int v; __asm__ volatile("movl %1,%0" : "=r"(v) : "m"(*p)); return v; }
static void store(int *p, int v) { __asm__ volatile("movl %1,%0" : "=m"(*p) : "ir"(v)); }
static void orb(unsigned char *p, unsigned char v) { __asm__ volatile("lock orb %b1, %0" : "+m"(*p) : "iq"(v)); }
static void serialise(void) {
    int a = 0;
    __asm__ volatile("cpuid" : "+a"(a)::"ebx", "ecx", "edx", "memory");
}
int main(void) {
    int x = 1;
    long y = 1;
    add(&x, 3);
    assert(x == 4 && xadd(&x, -2) == 4 && x == 2);
    assert(cas(&x, 1, 9) == 2 && x == 2 && cas(&x, 2, 9) == 2 && x == 9);
    assert(cas_set(&y, 1, 5) && !cas_set(&y, 1, 6) && y == 5);
    assert(cas_flag(&y, 5, 7) && !cas_flag(&y, 5, 8) && y == 7);
    assert(xchg(&x, 3) == 9 && x == 3);
    short s = 7;
    assert(xchg_there(&s, -1) == 7 && s == -1);
    __int128 z = ((__int128)2 << 64) | 1;
    long lo = 1, hi = 2;
    assert(cas16(&z, &lo, &hi, 3, 4) && z == (((__int128)4 << 64) | 3));
    assert(!cas16(&z, &lo, &hi, 5, 6) && lo == 3 && hi == 4);
    uint64_t w = 0x200000001;
    uint32_t low = 1, high = 2;
    assert(cas8(&w, &low, &high, 3, 4) && w == 0x400000003 && !cas8(&w, &low, &high, 0, 0) && low == 3 && high == 4);
    inc(&y);
    assert(y == 8);
    x = 2;
    assert(!dec_is_zero(&x) && dec_is_zero(&x) && x == 0);
    store(&x, 12);
    assert(load(&x) == 12);
    unsigned char b = 1;
    orb(&b, 0x80);
    assert(b == 0x81);
    serialise();
    __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory");
    __asm__ volatile("lfence; sfence" ::: "memory");
    __asm__ volatile("rep; nop");
    return 0;
}
