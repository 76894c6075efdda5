// The kernel's `LOCK_PREFIX`: a table in another section says where the prefix is.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#define LOCK_PREFIX ".pushsection .smp_locks,\"a\"\n.balign 4\n.long 671f - .\n.popsection\n671:\n\tlock; "
int count;
void *add(void *arg) {
    __asm__ volatile(LOCK_PREFIX "incl %0" : "+m"(count) : : "memory");
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
}
