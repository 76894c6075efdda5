// Message passing by the kernel's barriers: who sees the flag sees the data.
// expect: lkmm verified
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
    smp_rmb();
    int value = READ_ONCE(data);
    pthread_join(t, NULL);
    assert(!seen || value == 1);
    return 0;
}
