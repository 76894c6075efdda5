// `asm goto`: a lock that jumps to a label where it fails, a counter that jumps where it comes to nothing.
// expect: x86 verified
// expect: rc11 verified
#include <assert.h>
#include <pthread.h>
static int lock, sum, users = 2, last;
static int try_lock(int *p) {
    __asm__ goto volatile("lock; cmpxchgl %2, %0\n\tjne %l[busy]" : "+m"(*p) : "a"(0), "r"(1) : "memory", "cc" : busy);
    return 1;
busy:
    return 0;
}
static int put(int *p) {
    __asm__ goto volatile("lock decl %0\n\tje %l1" : : "m"(*p) : "memory", "cc" : gone);
    return 0;
gone:
    return 1;
}
static void *run(void *arg) {
    while (!try_lock(&lock)) __asm__ volatile("pause" ::: "memory");
    sum++;
    __asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
    if (put(&users)) last++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sum == 2 && last == 1);
}
