// check: --args 2
// expect: rc11 violated assertion line=5
#include <assert.h>
int main(int argc, char **argv) {
    assert(argc != 2 || argv[1][0] != '2');
}
