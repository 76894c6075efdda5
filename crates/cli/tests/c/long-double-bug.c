// A number of 80 bits has a fraction where a double has none any more.
// expect: rc11 violated assertion line=9
#include <assert.h>

int main(void)
{
    volatile long double large = 1e18L;
    assert((double)large + 0.25 == large);
    assert(large + 0.25L == large);
}
