// A counter under a spin lock, and a reference count that frees at zero.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>
#include <stdlib.h>

static DEFINE_SPINLOCK(lock);
static int counter;

struct shared {
    atomic_t references;
    int value;
};
static struct shared *shared;

static void put(struct shared *s)
{
    if (atomic_dec_and_test(&s->references))
        free(s);
}

static void *work(void *arg)
{
    spin_lock(&lock);
    counter++;
    spin_unlock(&lock);
    put(shared);
    return arg;
}

int main(void)
{
    shared = malloc(sizeof *shared);
    atomic_set(&shared->references, 2);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    assert(counter == 2);
    return 0;
}
