// What is written in a section of a lock before it is handed to another thread is seen by who sees what that thread
// writes in its own section, without taking the lock.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

static DEFINE_SPINLOCK(lock);
static int x, y, z;

static void *first(void *arg)
{
    spin_lock(&lock);
    WRITE_ONCE(x, 1);
    WRITE_ONCE(y, 1);
    spin_unlock(&lock);
    return arg;
}

static void *second(void *arg)
{
    spin_lock(&lock);
    int seen = READ_ONCE(y);
    WRITE_ONCE(z, 1 + seen);
    spin_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    int last = READ_ONCE(z);
    smp_mb();
    int value = READ_ONCE(x);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(last != 2 || value);
    return 0;
}
