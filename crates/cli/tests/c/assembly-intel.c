// expect: rc11 unknown
// args: -masm=intel
// message: Intel's order of operands is not known
int main(void) {
    int x = 0;
    __asm__ volatile("mov %0, 1" : "=r"(x));
    return x;
}
