// Numbers and words in texts, and what does not fit.
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char *end;
    errno = 0;
    assert(strtol("99999999999999999999", &end, 10) == LONG_MAX && errno == ERANGE && !*end);
    errno = 0;
    assert(strtol("-9223372036854775808", 0, 10) == LONG_MIN && errno == 0);
    assert(strtol("-9223372036854775809", 0, 10) == LONG_MIN && errno == ERANGE);
    assert(strtoul("18446744073709551616", 0, 0) == ULONG_MAX && strtoul("-1", 0, 10) == ULONG_MAX);
    const char *odd = "- 1";
    assert(strtol(odd, &end, 10) == 0 && end == odd && strtoimax("0x1fz", &end, 0) == 31 && *end == 'z');
    int n, m;
    short s;
    long l;
    char word[8], c;
    double d;
    assert(sscanf("12 ab 7", "%d %7s%d", &n, word, &m) == 3 && n == 12 && m == 7 && !strcmp(word, "ab"));
    assert(sscanf("x=0x10,-5", "x=%i,%hd", &n, &s) == 2 && n == 16 && s == -5);
    assert(sscanf("123456", "%3d%*2d%c%n", &n, &c, &m) == 2 && n == 123 && c == '6' && m == 6);
    assert(sscanf("key:val", "%[^:]:%[a-z]", word, word + 4) == 2 && !strcmp(word + 4, "val"));
    assert(sscanf("2.5 9000000000", "%lf %ld", &d, &l) == 2 && d == 2.5 && l == 9000000000);
    assert(sscanf("", "%d", &n) == -1 && sscanf("z", "%d", &n) == 0);
    assert(lround(2.5) == 3 && lrint(2.5) == 2 && llround(-0.6) == -1 && div(7, 2).rem == 1);
    assert(frexp(8.0, &n) == 0.5 && n == 4 && modf(-3.25, &d) == -0.25 && d == -3);
    assert(signbit(modf(-3.0, &d)) && !signbit(modf(3.0, &d)) && isnan(fdim(NAN, 1.0)));
    assert(ldexp(0x5p-1074, -3) == 0x1p-1074 && ldexp(-1.0, 2000) == -INFINITY && ldexp(3.0, -1074) == 0x3p-1074);
    assert(strlcpy(word, "abcdefgh", 4) == 8 && !strcmp(word, "abc") && strlcat(word, "xyz", 8) == 6);
    assert(strcasestr("HeLLo", "ll") && !strcasestr("a", "b") && *strchrnul("ab", 'x') == 0);
    assert(*(char *)rawmemchr("abc", 'b') == 'b' && memccpy(word, "q;r", ';', 8) == word + 2);
    assert(!strcmp(strerror(EINVAL), "Invalid argument") && strlen(strerror(9999)) && strerror_r(0, word, sizeof word));
}
