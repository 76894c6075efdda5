// What comes from standard input is anything, and may end at any time.
// expect: rc11 verified
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char line[8] = "";
    unsigned char c;
    int got = fgetc(stdin);
    assert(got >= -1 && got <= 255);
    if (scanf("%hhu %5s", &c, line) == 2)
        assert(strlen(line) <= 5);
    if (fgets(line, 4, stdin))
        assert(strlen(line) <= 3);
    return 0;
}
