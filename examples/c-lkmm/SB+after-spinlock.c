// smp_mb__after_spinlock keeps the write of the first section before the read of the second one.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

static DEFINE_SPINLOCK(lock);
static int x, y, seen[2];

static void *first(void *arg)
{
    spin_lock(&lock);
    WRITE_ONCE(x, 1);
    spin_unlock(&lock);
    spin_lock(&lock);
    smp_mb__after_spinlock();
    seen[0] = READ_ONCE(y);
    spin_unlock(&lock);
    return arg;
}

static void *second(void *arg)
{
    WRITE_ONCE(y, 1);
    smp_mb();
    seen[1] = READ_ONCE(x);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    assert(seen[0] || seen[1]);
    return 0;
}
