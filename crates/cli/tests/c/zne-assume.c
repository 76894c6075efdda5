// What is taken and given back before an assumption has no effect: nothing comes of these threads.
// expect: rc11 unknown
// message: no execution is complete
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

void __VERIFIER_assume(int);

static atomic_int x = 42;

static void *thread(void *arg)
{
    for (;;) {
        atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);
        __VERIFIER_assume(atomic_load_explicit(&x, memory_order_relaxed) == 42);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, thread, NULL);
    pthread_create(&t[1], NULL, thread, NULL);
    pthread_join(t[0], NULL);
    return 0;
}
