// Either of two values, one of them undefined, and the choice falls on that one.
// expect: sc violated uninitialised-read line=12
// expect: tso violated uninitialised-read line=12
// expect: rc11 violated uninitialised-read line=12
#include <assert.h>

int main(void)
{
    volatile int which = 0;
    int a = 1, b;
    int chosen = which ? a : b;
    assert(chosen == 1);
    return 0;
}
