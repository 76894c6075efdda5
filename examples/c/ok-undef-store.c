// An undefined value overwrites a global variable, and is overwritten before anybody looks.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

static int g;

int main(void)
{
    int a;
    g = 5;
    g = a;
    g = 6;
    assert(g == 6);
    return 0;
}
