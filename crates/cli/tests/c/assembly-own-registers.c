// Statements that name registers and say that they overwrite them: a compare-and-exchange of two words
// whose expected words are read from memory, as lock-free queues have it.
// expect: rc11 verified
// expect: sc verified
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

static _Alignas(16) uint64_t pair[2];

static bool replace(uint64_t target[2], const uint64_t expected[2], const uint64_t desired[2])
{
    bool done;
    __asm__ volatile("movq (%4), %%rax; movq 8(%4), %%rdx; lock cmpxchg16b %0; setz %1"
                     : "+m"(*(char(*)[16])target), "=q"(done)
                     : "b"(desired[0]), "c"(desired[1]), "r"(expected)
                     : "memory", "cc", "%rax", "%rdx");
    return done;
}

static uint32_t twice(uint32_t n)
{
    __asm__("movl %0, %%esi; addl %%esi, %%esi; movl %%esi, %0" : "+r"(n) : : "esi", "cc");
    return n;
}

static void *add(void *unused)
{
    uint64_t before = __atomic_load_n(&pair[0], __ATOMIC_RELAXED);
    uint64_t old[2] = {before, before}, new[2] = {before + 1, before + 1};
    if (!replace(pair, old, new)) {
        old[0] = old[1] = before + 1;
        new[0] = new[1] = before + 2;
        assert(replace(pair, old, new));
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(__atomic_load_n(&pair[0], __ATOMIC_RELAXED) == 2 && __atomic_load_n(&pair[1], __ATOMIC_RELAXED) == 2);
    assert(twice(21) == 42);
    return 0;
}
