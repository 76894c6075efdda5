// What realloc adds is undefined, and so is what it keeps if it was.
// expect: sc violated uninitialised-read line=18
// expect: tso violated uninitialised-read line=18
// expect: rc11 violated uninitialised-read line=18
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *a = malloc(8);
    if (a == NULL)
        abort();
    a[0] = 3;
    a = realloc(a, 16);
    if (a == NULL)
        abort();
    assert(a[0] == 3);
    assert(a[1] == 0);
    free(a);
    return 0;
}
