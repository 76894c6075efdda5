// A compare-and-exchange takes its expected value; what it finds is defined.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdatomic.h>

static atomic_int g = 3;

int main(void)
{
    int expected = 2;
    assert(!atomic_compare_exchange_strong(&g, &expected, 1));
    assert(expected == 3);
    return 0;
}
