// What the library has for pointers of 64 bits only is named when it is called.
// args: -m32
// expect: sc unknown
// message: `strtol` with -m32
#include <stdlib.h>
int main(void) {
    char *end;
    return (int)strtol("12", &end, 10);
}
