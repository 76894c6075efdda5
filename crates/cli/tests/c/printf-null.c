// expect: rc11 violated null-dereference line=4
#include <stdio.h>
int main(int argc, char **argv) {
    printf("%s %d\n", argv[argc], argc);
}
