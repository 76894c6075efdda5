// Assembly of another machine, compiled for this one.
// expect: rc11 unknown
// message: compile for that, as by `-- --target=aarch64-linux-gnu`
int main(void) {
    int x = 1, v;
    __asm__ volatile("ldar %w0, %1" : "=r"(v) : "Q"(x) : "memory");
    return v;
}
