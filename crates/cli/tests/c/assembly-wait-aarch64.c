// AArch64: a loop that waits for a lock to be free before it stores.
// expect: armv8 verified
// expect: rc11 verified
// args: --target=aarch64-linux-gnu -ffreestanding
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
static int held, sum;
static void lock(int *p) {
    unsigned seen;
    __asm__ volatile("   sevl\n1: wfe\n2: ldaxr %w0, %1\n   cbnz %w0, 1b\n   stxr %w0, %w2, %1\n   cbnz %w0, 2b\n"
                     : "=&r"(seen), "+Q"(*p) : "r"(1) : "cc", "memory");
}
static void unlock(int *p) { __asm__ volatile("stlr %w1, %0" : "=Q"(*p) : "r"(0) : "memory"); }
static void *run(void *arg) {
    lock(&held);
    sum++;
    unlock(&held);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    __VERIFIER_assert(sum == 2);
    return 0;
}
