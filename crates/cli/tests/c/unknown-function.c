// expect: rc11 unknown
// message: unknown-function.c:6: not supported: the function `getenv` is not known
#include <stdlib.h>
int main(int argc, char **argv) {
    (void)argv;
    return argc > 1 ? getenv("x") != 0 : getenv("y") != 0;
}
