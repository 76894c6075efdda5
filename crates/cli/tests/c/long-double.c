// `long double` is the 80 bits of x86: sums, products, quotients, comparisons and conversions of numbers of
// all sizes, taken together; the number in the last line is what an x86 machine prints for this program.
// expect: rc11 verified executions=1
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t sum = 1469598103934665603u;

static void mix(uint64_t value)
{
    for (int byte = 0; byte < 8; byte++) {
        sum ^= value >> (8 * byte) & 255;
        sum *= 1099511628211u;
    }
}

static void see(long double number)
{
    uint64_t low;
    uint16_t high;
    if (number != number) {
        mix(77);
        return;
    }
    memcpy(&low, &number, 8);
    memcpy(&high, (char *)&number + 8, 2);
    mix(low);
    mix(high);
}

static uint64_t seed = 88172645463325252u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static long double made_of(uint64_t low, uint16_t high)
{
    long double number = 0;
    memcpy(&number, &low, 8);
    memcpy((char *)&number + 8, &high, 2);
    return number;
}

static long double any(void)
{
    uint64_t which = next();
    double number;
    uint64_t bits;
    uint16_t high;
    switch (which % 6) {
    case 0:
        return (long double)(int64_t)next();
    case 1:
        return (long double)(next() >> (which >> 8) % 60);
    case 2:
        bits = next();
        memcpy(&number, &bits, 8);
        return number;
    case 3: // with exponents of all sizes, and none
        bits = next();
        high = next() & 0xffff;
        return made_of(high & 0x7fff ? bits | UINT64_C(1) << 63 : bits & ~(UINT64_C(1) << 63), high);
    case 4:
        return (long double)(int)next() / 7.0L;
    default: // near to 1
        bits = which & 64 ? next() % 4 : next();
        high = (which & 128 ? 0x8000 : 0) | (0x3fff - 40 + next() % 80);
        return made_of(bits | UINT64_C(1) << 63, high);
    }
}

int main(void)
{
    for (int round = 0; round < 40; round++) {
        long double a = any(), b = any();
        see(a + b), see(a - b), see(a * b), see(a / b), see(-a), see(a * b + 1.5L);
        mix((a < b) | (a <= b) << 1 | (a == b) << 2 | (a > b) << 3 | (a >= b) << 4 | (a != b) << 5);
        double narrow = (double)a;
        float narrower = (float)b;
        if (narrow == narrow)
            see(narrow);
        if (narrower == narrower)
            see(narrower);
        if (a > -9e18L && a < 9e18L)
            mix((int64_t)a);
        if (b >= 0 && b < 1.8e19L)
            mix((uint64_t)b);
        if (a > -2e9L && a < 2e9L)
            mix((int)a);
        see((unsigned)next()), see((short)next());
        see((long double)((unsigned __int128)next() << 64 | next()));
    }
    // 64 bits are exact, 65 are not: the nearest, of two the even one.
    assert((long double)INT64_MAX + 1 - 1 == INT64_MAX && (long double)UINT64_MAX + 1 != UINT64_MAX);
    assert((long double)UINT64_MAX + 2 == (long double)UINT64_MAX + 1);
    assert(0.1L != 0.1 && (double)0.1L == 0.1 && fabsl(-2.5L) == 2.5L);
#ifdef PRINT
    printf("%lu\n", sum);
#else
    assert(sum == 7044421766801891862u);
#endif
}
