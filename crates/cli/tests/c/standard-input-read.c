// Some of it may be there.
// expect: rc11 violated assertion line=9
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    char bytes[4];
    assert(read(0, bytes, 4) != 3);
    return 0;
}
