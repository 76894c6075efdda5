// RISC-V: fences, reservations in loops, AMOs.
// expect: riscv verified
// expect: rc11 verified
// args: --target=riscv64-linux-gnu -ffreestanding -march=rv64gc
void __VERIFIER_assert(int);
static int amoadd(int *p, int v) { int r; __asm__ volatile("amoadd.w.aqrl %0, %2, %1" : "=r"(r), "+A"(*p) : "r"(v) : "memory"); return r; }
static int cas(int *p, int o, int n) {
    int r, t;
    __asm__ volatile("0: lr.w %0, %2\n bne %0, %z3, 1f\n sc.w.rl %1, %z4, %2\n bnez %1, 0b\n fence rw, rw\n1:"
                     : "=&r"(r), "=&r"(t), "+A"(*p) : "rJ"(o), "rJ"(n) : "memory");
    return r;
}
int main(void) {
    int x = 1;
    __VERIFIER_assert(amoadd(&x, 2) == 1 && x == 3);
    __VERIFIER_assert(cas(&x, 3, 4) == 3 && x == 4 && cas(&x, 3, 5) == 4 && x == 4);
    __asm__ volatile("fence w,w\n fence r, rw\n fence.tso\n fence iorw,iorw\n fence" ::: "memory");
    return 0;
}
