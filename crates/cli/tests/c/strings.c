// expect: rc11 verified executions=1
// check: --unroll 40
#define _GNU_SOURCE
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
char shared[32];
int main(void) {
    char s[32];
    assert(stpcpy(s, "abc") == s + 3);
    strncat(s, "defgh", 2);
    assert(!strcmp(s, "abcde"));
    assert(strstr(s, "cd") == s + 2 && !strstr(s, "x") && strrchr(s, 'a') == s && strnlen(s, 3) == 3);
    char *dup = strndup(s, 2);
    assert(!strcmp(dup, "ab"));
    free(dup);
    bzero(s, 4);
    assert(s[0] == 0 && s[4] == 'e');
    char *end;
    assert(strtol("  -12x", &end, 10) == -12 && *end == 'x');
    assert(strtoul("0x1fz", &end, 0) == 31 && *end == 'z');
    assert(strtol("077", 0, 0) == 63 && strtol("zz", &end, 10) == 0 && *end == 'z');
    assert(strtol("ff", 0, 16) == 255 && atoll("123") == 123);
    memcpy(shared, "hello", 6);
    memmove(shared + 1, shared, 5);
    assert(!memcmp(shared, "hhello", 6) && memcmp("a", "b", 1) < 0);
}
