// A member of a union is longer than the one that was set.
// expect: sc violated uninitialised-read line=19
// expect: tso violated uninitialised-read line=19
// expect: rc11 violated uninitialised-read line=19
#include <assert.h>
#include <stdint.h>

union word {
    uint16_t half;
    uint32_t whole;
};

int main(void)
{
    union word u;
    u.half = 7;
    union word v = u;
    assert(v.half == 7);
    assert(v.whole == 7);
    return 0;
}
