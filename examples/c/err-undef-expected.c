// A compare-and-exchange with an expected value that was not set.
// expect: sc violated uninitialised-read line=12
// expect: tso violated uninitialised-read line=12
// expect: rc11 violated uninitialised-read line=12
#include <stdatomic.h>

static atomic_int g;

int main(void)
{
    int expected;
    atomic_compare_exchange_strong(&g, &expected, 1);
    return 0;
}
