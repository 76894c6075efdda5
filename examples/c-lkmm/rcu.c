// A reader of RCU follows a pointer; the writer waits for a grace period before it takes the old object to pieces.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

static int old = 1, new = 1;
static int *current = &old;

static void *reader(void *arg)
{
    rcu_read_lock();
    int *p = rcu_dereference(current);
    rcu_read_lock();
    int value = READ_ONCE(*p);
    rcu_read_unlock();
    assert(value == 1);
    value = READ_ONCE(*p);
    rcu_read_unlock();
    assert(value == 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    rcu_assign_pointer(current, &new);
    synchronize_rcu();
    WRITE_ONCE(old, 0);
    pthread_join(t, NULL);
    return 0;
}
