// Locks whose waiting is inside of a statement: an exchange with a test in between, and a decrement that
// looks at the sign, as spin locks of x86 have been written for a long time.
// expect: rc11 verified
// expect: sc verified
// expect: x86 verified
#include <assert.h>
#include <pthread.h>

static volatile int exchanged;
static volatile signed char counted = 1;
static int first, second;

static void lock_by_exchange(volatile int *lock)
{
    int taken = 1;
    __asm__ volatile("1:\n"
                     "xchg %[lock], %[taken]\n"
                     "test %[taken], %[taken]\n"
                     "jz 3f\n"
                     "2:\n"
                     "pause\n"
                     "cmpl $0, %[lock]\n"
                     "jnz 2b\n"
                     "jmp 1b\n"
                     "3:\n"
                     : [lock] "=m"(*lock), [taken] "=q"(taken)
                     : "[taken]"(taken)
                     : "memory");
}

static void unlock_by_exchange(volatile int *lock)
{
    int free = 0;
    __asm__ volatile("xchg %[lock], %[free]\n"
                     : [lock] "=m"(*lock), [free] "=q"(free)
                     : "[free]"(free)
                     : "memory");
}

static void lock_by_count(volatile signed char *lock)
{
    __asm__ volatile("1: lock; decb %0\n\t"
                     "jns 3f\n"
                     "2: rep; nop\n\t"
                     "cmpb $0, %0\n\t"
                     "jle 2b\n\t"
                     "jmp 1b\n"
                     "3:\n\t"
                     : "+m"(*lock)
                     :
                     : "memory");
}

static void unlock_by_count(volatile signed char *lock)
{
    __asm__ volatile("movb $1, %0" : "+m"(*lock) : : "memory");
}

static void *by_exchange(void *unused)
{
    lock_by_exchange(&exchanged);
    first++;
    unlock_by_exchange(&exchanged);
    return 0;
}

static void *by_count(void *unused)
{
    lock_by_count(&counted);
    second++;
    unlock_by_count(&counted);
    return 0;
}

static unsigned largest_power(unsigned below)
{
    unsigned power = 1;
    __asm__("1: shl $1, %0\n\tcmp %1, %0\n\tjb 1b\n\tshr $1, %0" : "+r"(power) : "r"(below) : "cc");
    return power;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, i < 2 ? by_exchange : by_count, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    assert(first == 2 && second == 2);
    assert(largest_power(100) == 64);
    return 0;
}
