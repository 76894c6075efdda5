// The same with a test the wrong way round: who finds the lock taken goes on.
// expect: rc11 violated data-race
// expect: x86 violated assertion
#include <assert.h>
#include <pthread.h>

static volatile int lock;
static int inside;

static void take(void)
{
    int taken = 1;
    __asm__ volatile("1:\n"
                     "xchg %[lock], %[taken]\n"
                     "test %[taken], %[taken]\n"
                     "jnz 3f\n"
                     "2:\n"
                     "pause\n"
                     "cmpl $0, %[lock]\n"
                     "jz 2b\n"
                     "3:\n"
                     : [lock] "=m"(lock), [taken] "=q"(taken)
                     : "[taken]"(taken)
                     : "memory");
}

static void *worker(void *unused)
{
    take();
    int before = inside;
    inside = before + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(inside == 2);
    return 0;
}
