// expect: rc11 unknown
// message: unknown-function.c:6: not supported: the function `getlogin` is not known
#include <unistd.h>
int main(int argc, char **argv) {
    (void)argv;
    return argc > 1 ? getlogin() != 0 : getlogin() == 0;
}
