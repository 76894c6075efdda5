// expect: rc11 unknown
// message: assembly-bug.c:5: not supported: inline assembly
int main(void) {
    int x;
    __asm__ volatile("movl $1, %0" : "=r"(x));
    return x;
}
