// A global variable is 0 until something is stored to it.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

static int g;

int main(void)
{
    int a;
    int *at = &a;
    *at = 0;
    assert(g == *at);
    return 0;
}
