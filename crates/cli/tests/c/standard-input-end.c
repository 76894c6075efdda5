// It may be at its end, or not.
// expect: rc11 violated assertion line=9
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char bytes[2];
    assert(fread(bytes, 1, 2, stdin) != 2 || bytes[1] != '!' || getchar() != 'x' || feof(stdin));
    return 0;
}
