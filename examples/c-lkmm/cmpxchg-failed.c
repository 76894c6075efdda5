// A cmpxchg that fails is no barrier: it reads, and orders nothing.
// expect: lkmm violated assertion
#include <assert.h>
#include <lkmm.h>

int x, y, z = 1;
int a, b;

static void *left(void *arg)
{
    WRITE_ONCE(x, 1);
    cmpxchg(&z, 0, 2);
    a = READ_ONCE(y);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, left, NULL);
    WRITE_ONCE(y, 1);
    smp_mb();
    b = READ_ONCE(x);
    pthread_join(t, NULL);
    assert(a || b);
    return 0;
}
