// A conversion to an integer that the number does not fit into.
// expect: rc11 violated undefined-behaviour line=8
#include <assert.h>

int main(void)
{
    volatile long double large = 1ull << 63;
    long number = (long)large;
    assert(number != 5);
}
