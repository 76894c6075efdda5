// A variable that is set on one path only is read on that path only; what it holds elsewhere moves along unused.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    int set = 0;
    int x = maybe(set);
    int copy = x;
    assert(!set || copy == 1);
    x = maybe(1);
    assert(x == 1);
    return 0;
}
