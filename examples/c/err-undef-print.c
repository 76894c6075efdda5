// What is printed is used.
// expect: sc violated uninitialised-read line=11
// expect: tso violated uninitialised-read line=11
// expect: rc11 violated uninitialised-read line=11

#include <stdio.h>

int main(void)
{
    int n;
    printf("%d\n", n);
    return 0;
}
