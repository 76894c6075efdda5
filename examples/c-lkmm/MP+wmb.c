// Message passing without the reader's barrier: the flag may be seen and the data not.
// expect: lkmm violated assertion
#include <assert.h>
#include <lkmm.h>

int data, flag;

static void *writer(void *arg)
{
    WRITE_ONCE(data, 1);
    smp_wmb();
    WRITE_ONCE(flag, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int seen = READ_ONCE(flag);
    int value = READ_ONCE(data);
    pthread_join(t, NULL);
    assert(!seen || value == 1);
    return 0;
}
