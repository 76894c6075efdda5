// POWER: an attempt to take a lock that orders only if it succeeds.
// expect: power verified
// args: --target=powerpc64le-linux-gnu -ffreestanding
typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void __VERIFIER_assert(int);
static int held, sum, taken;
static unsigned try_lock(int *p) {
    unsigned seen, token = 1;
    __asm__ volatile("1: lwarx %0,0,%2\n cmpwi 0,%0,0\n bne- 2f\n stwcx. %1,0,%2\n bne- 1b\n isync\n2:"
                     : "=&r"(seen) : "r"(token), "r"(p) : "cr0", "memory");
    return seen == 0;
}
static void *run(void *arg) {
    if (try_lock(&held)) {
        sum++;
        __asm__ volatile("lwsync" ::: "memory");
        __atomic_store_n(&held, 0, __ATOMIC_RELAXED);
        __atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    __VERIFIER_assert(sum == taken && sum >= 1);
    return 0;
}
