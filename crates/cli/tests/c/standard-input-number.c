// Numbers are any, and the first may be there without the second.
// expect: rc11 violated assertion line=12
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    int n = 0;
    long l = 0;
    int got = scanf("%d%ld", &n, &l);
    if (n > 0)
        assert(got != 2 || l - n != 12345678901);
    return 0;
}
