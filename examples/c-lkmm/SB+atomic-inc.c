// atomic_inc gives no value and orders nothing: both threads may miss the other's write.
// expect: lkmm violated assertion
#include <assert.h>
#include <lkmm.h>

atomic_t x, y;
int a, b;

static void *left(void *arg)
{
    atomic_inc(&x);
    a = atomic_read(&y);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, left, NULL);
    atomic_inc(&y);
    b = atomic_read(&x);
    pthread_join(t, NULL);
    assert(a || b);
    return 0;
}
