// An undefined value is an index.
// expect: sc violated uninitialised-read line=11
// expect: tso violated uninitialised-read line=11
// expect: rc11 violated uninitialised-read line=11
#include <assert.h>

int main(void)
{
    int table[4] = { 1, 2, 3, 4 };
    unsigned k;
    int x = table[k & 3];
    assert(x > 0);
    return 0;
}
