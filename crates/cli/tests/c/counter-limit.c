// A limit of attempts: the loop ends by itself, and either way is explored.
// expect: rc11 violated assertion line=31
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int flag;
static int data;

static void *thread(void *arg)
{
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thread, NULL);
    int i, found = 0;
    for (i = 0; i < 20; i++) {
        if (atomic_load_explicit(&flag, memory_order_acquire)) {
            found = 1;
            break;
        }
    }
    assert(found);
    int seen = data;
    pthread_join(t, NULL);
    return seen != 1;
}
