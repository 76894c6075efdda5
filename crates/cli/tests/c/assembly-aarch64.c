// AArch64: exclusives in loops, acquire and release, atomics of LSE.
// expect: armv8 verified
// expect: rc11 verified
// args: --target=aarch64-linux-gnu -ffreestanding
void __VERIFIER_assert(int);
static int load(int *p) { int v; __asm__ volatile("ldar %w0, %1" : "=r"(v) : "Q"(*p) : "memory"); return v; }
static void store(long *p, long v) { __asm__ volatile("stlr %1, %0" : "=Q"(*p) : "r"(v) : "memory"); }
static int add_return(int i, int *p) {
    unsigned t;
    int r;
    __asm__ volatile("1: ldxr %w0, %2\n add %w0, %w0, %w3\n stlxr %w1, %w0, %2\n cbnz %w1, 1b\n dmb ish"
                     : "=&r"(r), "=&r"(t), "+Q"(*p) : "Ir"(i) : "memory");
    return r;
}
static int cas(int *p, int o, int n) {
    unsigned t;
    int r;
    __asm__ volatile("1: ldaxr %w0, [%2]\n cmp %w0, %w3\n b.ne 2f\n stxr %w1, %w4, [%2]\n cbnz %w1, 1b\n2:"
                     : "=&r"(r), "=&r"(t) : "r"(p), "r"(o), "r"(n) : "memory", "cc");
    return r;
}
static long cas_full(long *p, long o, long n) {
    unsigned long t;
    long r;
    __asm__ volatile("prfm pstl1strm, %2\n1: ldxr %0, %2\n eor %1, %0, %3\n cbnz %1, 2f\n stlxr %w1, %4, %2\n"
                     "cbnz %w1, 1b\n dmb ish\n2:"
                     : "=&r"(r), "=&r"(t), "+Q"(*p) : "r"(o), "r"(n) : "memory");
    return r;
}
static int swap(int *p, int v) {
    unsigned t;
    int r;
    __asm__ volatile("1: ldaxr %w0, %2\n stlxr %w1, %w3, %2\n cbnz %w1, 1b"
                     : "=&r"(r), "=&r"(t), "+Q"(*p) : "r"(v) : "memory");
    return r;
}
static int ldadd(int *p, int v) { int r; __asm__ volatile("ldaddal %w1, %w0, %2" : "=r"(r) : "r"(v), "Q"(*p) : "memory"); return r; }
static int casal(int *p, int o, int n) {
    __asm__ volatile("casal %w0, %w1, %2" : "+r"(o) : "r"(n), "Q"(*p) : "memory");
    return o;
}
int main(void) {
    int x = 1;
    long y = 1;
    __VERIFIER_assert(load(&x) == 1);
    store(&y, 5);
    __VERIFIER_assert(y == 5);
    __VERIFIER_assert(add_return(2, &x) == 3 && x == 3);
    __VERIFIER_assert(cas(&x, 1, 9) == 3 && x == 3 && cas(&x, 3, 9) == 3 && x == 9);
    __VERIFIER_assert(cas_full(&y, 5, 6) == 5 && y == 6 && cas_full(&y, 5, 7) == 6 && y == 6);
    __VERIFIER_assert(swap(&x, 4) == 9 && x == 4);
    __VERIFIER_assert(ldadd(&x, 3) == 4 && x == 7 && casal(&x, 7, 8) == 7 && x == 8 && casal(&x, 7, 9) == 8);
    __asm__ volatile("dmb ishst\n dmb ishld\n isb\n dsb sy\n yield\n sevl\n wfe" ::: "memory");
    return 0;
}
