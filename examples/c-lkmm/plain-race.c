// The data is written plainly before a marked flag, and nothing orders the two: a data race.
// expect: lkmm violated data-race
#include <lkmm.h>

int data, flag;

static void *writer(void *arg)
{
    data = 1;
    WRITE_ONCE(flag, 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    int sum = 0;
    if (smp_load_acquire(&flag))
        sum = data;
    pthread_join(t, NULL);
    return sum == 2;
}
