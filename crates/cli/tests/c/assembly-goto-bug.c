// The two ways out of `asm goto` are mixed up: it goes on where the lock was busy.
// expect: x86 violated assertion
#include <assert.h>
#include <pthread.h>
static int lock, inside;
static int try_lock(int *p) {
    __asm__ goto volatile("lock; cmpxchgl %2, %0\n\tje %l[busy]" : "+m"(*p) : "a"(0), "r"(1) : "memory", "cc" : busy);
    return 1;
busy:
    return 0;
}
static void *run(void *arg) {
    if (try_lock(&lock)) {
        int before = __sync_fetch_and_add(&inside, 1);
        assert(before > 0);
    }
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
}
