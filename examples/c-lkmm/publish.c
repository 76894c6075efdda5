// A structure is published by rcu_assign_pointer and reached by rcu_dereference: the plain accesses of its field are
// ordered by the release and by the address.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

struct item {
    int value;
};

static struct item item;
static struct item *head;

static void *publisher(void *arg)
{
    item.value = 42;
    rcu_assign_pointer(head, &item);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, publisher, NULL);
    struct item *p = rcu_dereference(head);
    if (p)
        assert(p->value == 42);
    pthread_join(t, NULL);
    return 0;
}
