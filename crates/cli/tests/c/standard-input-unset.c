// What was not read was not set.
// expect: rc11 violated uninitialised-read line=9
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    int n;
    if (scanf("%d", &n) >= 0 && n > 1)
        return 1;
    return 0;
}
