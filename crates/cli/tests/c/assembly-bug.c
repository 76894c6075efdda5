// expect: rc11 unknown
// message: `bsfl` is not known
// What is not known is named.
int main(void) {
    int x, y = 4;
    __asm__ volatile("bsfl %1, %0" : "=r"(x) : "r"(y));
    return x;
}
