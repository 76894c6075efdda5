// An undefined value overwrites the 5 in a global variable.
// expect: sc violated uninitialised-read line=14
// expect: tso violated uninitialised-read line=14
// expect: rc11 violated uninitialised-read line=14
#include <assert.h>

static int g;

int main(void)
{
    int a;
    g = 5;
    g = a;
    assert(g == 5);
    return 0;
}
