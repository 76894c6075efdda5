// Creating a thread and waiting for its end order like full barriers, for marked and for plain accesses.
// expect: lkmm verified
#include <assert.h>
#include <lkmm.h>

int before, inside, x, y, r;

static void *thread(void *arg)
{
    assert(before == 1);
    inside = 1;
    r = READ_ONCE(x);
    WRITE_ONCE(y, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    before = 1;
    pthread_create(&t, NULL, thread, NULL);
    pthread_join(t, NULL);
    WRITE_ONCE(x, 1);
    assert(inside == 1);
    assert(r == 0);
    assert(READ_ONCE(y) == 1);
    return 0;
}
