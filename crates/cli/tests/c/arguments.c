// check: --args 12 --args -v --env HOME=/home/someone
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
    assert(argc == 3 && argv[argc] == 0);
    assert(atoi(argv[1]) == 12 && strcmp(argv[2], "-v") == 0);
    assert(strcmp(getenv("HOME"), "/home/someone") == 0);
    assert(getenv("PATH") == 0);
    assert(getpid() > 0 && getppid() != getpid());
}
