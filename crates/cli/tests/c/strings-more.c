// Texts, numbers in them, sorting and searching.
// expect: rc11 verified
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    char text[] = " one,two;;three", *rest, *line = text;
    assert(!strcmp(strtok_r(text, " ,;", &rest), "one"));
    assert(!strcmp(strtok_r(0, " ,;", &rest), "two"));
    assert(!strcmp(strtok_r(0, " ,;", &rest), "three"));
    assert(!strtok_r(0, " ,;", &rest) && !strtok_r(0, " ,;", &rest));
    char again[] = "a b";
    assert(!strcmp(strtok(again, " "), "a") && !strcmp(strtok(0, " "), "b") && !strtok(0, " "));
    char fields[] = "x::y";
    line = fields;
    assert(!strcmp(strsep(&line, ":"), "x") && !strcmp(strsep(&line, ":"), "") && !strcmp(strsep(&line, ":"), "y"));
    assert(!strsep(&line, ":"));
    assert(strspn("aab", "a") == 2 && strcspn("aab", "b") == 2 && *strpbrk("xyz", "zy") == 'y' && !strpbrk("x", "y"));
    assert(!strcasecmp("HeLLo", "hEllO") && strncasecmp("abc", "ABD", 2) == 0 && strcasecmp("a", "B") < 0);
    assert(memrchr("abcab", 'b', 5) != 0 && *((char *)memrchr("abcab", 'b', 5) - 1) == 'a' && !memrchr("a", 'b', 1));
    assert(!strncmp(memmem("haystack", 8, "sta", 3), "stack", 5) && !memmem("hay", 3, "hays", 4));
    assert(ffs(0) == 0 && ffs(8) == 4 && ffsll(1LL << 40) == 41);
    assert(strtod("2.5e1x", &rest) == 25.0 && *rest == 'x' && atof(" -0.5") == -0.5 && strtof("0.1", 0) == 0.1f);
    const char *none = "none";
    assert(strtod(none, &rest) == 0.0 && rest == none);
    assert(isdigit('7') && !isdigit('x') && isspace('\t') && isupper('Q') && toupper('q') == 'Q' && tolower('Q') == 'q');
    assert(isalpha('z') && !isalpha('1') && ispunct('!') && isxdigit('f') && !isprint('\n'));
    int numbers[] = {3, 1, 2, 1}, key = 2, missing = 9;
    qsort(numbers, 4, sizeof *numbers, by_value);
    assert(numbers[0] == 1 && numbers[1] == 1 && numbers[2] == 2 && numbers[3] == 3);
    assert(bsearch(&key, numbers, 4, sizeof *numbers, by_value) == &numbers[2]);
    assert(!bsearch(&missing, numbers, 4, sizeof *numbers, by_value));
    char *copy = strdup("copy"), made[8];
    assert(snprintf(made, sizeof made, "%s-%d", copy, 12345) == 10 && !strcmp(made, "copy-12"));
    free(copy);
    return 0;
}
