// An array with undefined values is copied element by element; the index is defined.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

int main(void)
{
    int table[4], copy[4];
    table[2] = 3;
    for (unsigned k = 0; k < 4; k++)
        copy[k] = table[k & 3];
    assert(copy[2] == 3);
    return 0;
}
