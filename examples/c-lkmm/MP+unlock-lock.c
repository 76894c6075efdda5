// What is written in one section of a lock is seen before what the same thread writes in the next one, also by who does
// not take the lock.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

static DEFINE_SPINLOCK(lock);
static int x, y;

static void *writer(void *arg)
{
    spin_lock(&lock);
    WRITE_ONCE(x, 1);
    spin_unlock(&lock);
    spin_lock(&lock);
    WRITE_ONCE(y, 1);
    spin_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int flag = READ_ONCE(y);
    smp_rmb();
    int value = READ_ONCE(x);
    pthread_join(t, NULL);
    assert(!flag || value);
    return 0;
}
