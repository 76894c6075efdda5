// A conditional store that is not tried again may fail for no reason, and is refused.
// expect: rc11 unknown
// message: a conditional store is only known in a loop that tries again
// args: --target=aarch64-linux-gnu -ffreestanding
int main(void) {
    int x = 1, r, t;
    __asm__ volatile("ldxr %w0, %2\n stxr %w1, %w3, %2" : "=&r"(r), "=&r"(t), "+Q"(x) : "r"(5) : "memory");
    return t;
}
