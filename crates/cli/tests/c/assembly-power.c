// POWER: fences, reservations in loops.
// expect: power verified
// expect: rc11 verified
// args: --target=powerpc64le-linux-gnu -ffreestanding
void __VERIFIER_assert(int);
static int add(int *p, int v) {
    int t;
    __asm__ volatile("lwsync\n1: lwarx %0,0,%3\n add %0,%2,%0\n stwcx. %0,0,%3\n bne- 1b\n isync"
                     : "=&r"(t), "+m"(*p) : "r"(v), "r"(p) : "cc", "memory");
    return t;
}
static int cas(int *p, int o, int n) {
    int r;
    __asm__ volatile("1: lwarx %0,0,%2\n cmpw 0,%0,%3\n bne- 2f\n stwcx. %4,0,%2\n bne- 1b\n sync\n2:"
                     : "=&r"(r), "+m"(*p) : "r"(p), "r"(o), "r"(n) : "cc", "memory");
    return r;
}
int main(void) {
    int x = 1;
    __VERIFIER_assert(add(&x, 2) == 3 && x == 3);
    __VERIFIER_assert(cas(&x, 3, 4) == 3 && x == 4 && cas(&x, 3, 5) == 4 && x == 4);
    __asm__ volatile("sync\n lwsync\n eieio\n isync" ::: "memory");
    return 0;
}
