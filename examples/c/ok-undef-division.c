// An undefined dividend: what comes out is undefined, and not used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

int main(void)
{
    unsigned a, b = 2;
    unsigned c = a / b;
    unsigned d = c;
    (void)d;
    assert(b == 2);
    return 0;
}
