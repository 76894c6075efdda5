// Memory that was written, freed and got again is written before it is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    memset(a, 0, 40);
    memmove(b, a, 64);
    assert(b[8] == 0);
    free(a);
    free(b);
    return 0;
}
