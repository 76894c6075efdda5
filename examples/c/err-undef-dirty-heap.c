// Memory that was written, freed and got again is as undefined as new memory.
// expect: sc violated uninitialised-read line=20
// expect: tso violated uninitialised-read line=20
// expect: rc11 violated uninitialised-read line=20
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *old = malloc(64);
    if (old == NULL)
        abort();
    memset(old, 7, 64);
    free(old);
    int *a = malloc(64), *b = malloc(64);
    if (a == NULL || b == NULL)
        abort();
    memmove(b, a, 64);
    assert(b[8] == 0);
    free(a);
    free(b);
    return 0;
}
