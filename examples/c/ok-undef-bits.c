// Of two bit-fields in one byte, one is set and looked at.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

struct flags {
    unsigned a : 3, b : 4;
};

int main(void)
{
    struct flags f, g;
    f.a = 5;
    g = f;
    assert(g.a == 5);
    g.b = 9;
    assert(g.b == 9 && g.a == 5);
    return 0;
}
