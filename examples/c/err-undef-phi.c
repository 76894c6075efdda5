// A variable is set on one path only, and read after the paths have met.
// expect: sc violated uninitialised-read line=18
// expect: tso violated uninitialised-read line=18
// expect: rc11 violated uninitialised-read line=18
#include <assert.h>

static int maybe(int set)
{
    int r;
    if (set)
        r = 1;
    return r;
}

int main(void)
{
    int x = maybe(0);
    assert(x == 1);
    return 0;
}
