// Barriers are known.
// expect: rc11 verified
int main(void) {
    int x = 1;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("pause");
    __asm__ volatile("" : "+r"(x));
    return x - 1;
}
