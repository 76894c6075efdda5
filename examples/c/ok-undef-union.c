// A member of a union is as long as the one that was set.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdint.h>

union word {
    uint16_t half[2];
    uint32_t whole;
};

int main(void)
{
    union word u;
    u.half[0] = 7;
    union word v = u;
    assert(v.half[0] == 7);
    v.half[1] = 0;
    assert(v.whole == 7);
    return 0;
}
