// Either of two values, one of them undefined, and the choice falls on the other one.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

int main(void)
{
    volatile int which = 1;
    int a = 1, b;
    int chosen = which ? a : b;
    assert(chosen == 1);
    return 0;
}
