// smp_mb__after_atomic makes a full barrier of a read-modify-write that orders nothing by itself; one that gives a value
// is a full barrier without it.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

atomic_t x, y;
int a, b;

static void *left(void *arg)
{
    atomic_inc(&x);
    smp_mb__after_atomic();
    a = atomic_read(&y);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, left, NULL);
    int before = atomic_inc_return(&y);
    b = atomic_read(&x);
    pthread_join(t, NULL);
    assert(before == 1);
    assert(a || b);
    return 0;
}
