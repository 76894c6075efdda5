// Of a word, the low byte is defined, and only that is left by the mask and the shift.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdint.h>

int main(void)
{
    uint32_t word;
    *(unsigned char *)&word = 0x5a;
    uint32_t low = word & 0xff;
    assert(low == 0x5a);
    assert((word << 24) == 0x5a000000u);
    assert((uint8_t)word == 0x5a);
    assert((word | 0xffffff00u) == 0xffffff5au);
    return 0;
}
