// A reader that ends its section and begins another one while it waits does not keep the writer from going on: what it read
// before and what it reads after are of two sections.
// expect: lkmm violated assertion
#include <assert.h>
#include <lkmm.h>

static int old = 1, flag;

static void *reader(void *arg)
{
    rcu_read_lock();
    int a = READ_ONCE(old);
    while (!READ_ONCE(flag)) {
        rcu_read_unlock();
        rcu_read_lock();
    }
    int b = READ_ONCE(old);
    rcu_read_unlock();
    assert(!(a == 1 && b == 0));
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    synchronize_rcu();
    WRITE_ONCE(old, 0);
    smp_store_release(&flag, 1);
    pthread_join(t, NULL);
    return 0;
}
