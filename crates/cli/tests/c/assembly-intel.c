// expect: rc11 verified
// args: -masm=intel
#include <assert.h>
#include <pthread.h>

static int count;

static void *add(void *unused)
{
    int one;
    __asm__ volatile("mov %0, 1" : "=r"(one));
    __asm__ volatile("lock xadd dword ptr [%1], %0" : "+r"(one) : "r"(&count) : "memory");
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, add, 0);
    add(0);
    pthread_join(thread, 0);
    assert(count == 2);
}
