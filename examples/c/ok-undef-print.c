// Of an array, what is printed is set.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified

#include <stdio.h>

int main(void)
{
    int n[2], m[2];
    n[1] = 4;
    m[0] = n[0];
    m[1] = n[1];
    printf("%d\n", m[1]);
    return 0;
}
