// Of two bit-fields in one byte, one is set and the other one is looked at.
// expect: sc violated uninitialised-read line=16
// expect: tso violated uninitialised-read line=16
// expect: rc11 violated uninitialised-read line=16
#include <assert.h>

struct flags {
    unsigned a : 3, b : 4;
};

int main(void)
{
    struct flags f;
    f.a = 5;
    assert(f.a == 5);
    assert(f.b == 0);
    return 0;
}
