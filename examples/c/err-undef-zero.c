// A global variable that was 0 gets an undefined value: it is not 0 any more.
// expect: sc violated uninitialised-read line=13
// expect: tso violated uninitialised-read line=13
// expect: rc11 violated uninitialised-read line=13
#include <assert.h>

static int g;

int main(void)
{
    int a;
    g = a;
    assert(g == 0);
    return 0;
}
