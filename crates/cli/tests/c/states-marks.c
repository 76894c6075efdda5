// An iteration that is marked as waiting looks at two places: whichever of them changes ends it.
// check: --engine states
// expect: sc verified
// expect: tso verified
#include <pthread.h>
#include <stdatomic.h>
#include <selvedge.h>

atomic_int first, second;

void *wait(void *unused)
{
    for (;;) {
        selvedge_spin_begin();
        if (atomic_load(&first) || atomic_load(&second))
            break;
        selvedge_spin_end(1);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    atomic_store(&first, 1);
    pthread_join(thread, 0);
    return 0;
}
