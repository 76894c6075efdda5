// Of a word, the low byte is defined; the mask leaves a bit of another one.
// expect: sc violated uninitialised-read line=13
// expect: tso violated uninitialised-read line=13
// expect: rc11 violated uninitialised-read line=13
#include <assert.h>
#include <stdint.h>

int main(void)
{
    uint32_t word;
    *(unsigned char *)&word = 0x5a;
    uint32_t low = word & 0x1ff;
    assert(low == 0x5a);
    return 0;
}
