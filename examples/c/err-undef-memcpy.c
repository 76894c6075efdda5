// Memory that was never written is copied: the copy is as undefined as it was.
// expect: sc violated uninitialised-read line=15
// expect: tso violated uninitialised-read line=15
// expect: rc11 violated uninitialised-read line=15
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *a = malloc(64), *b = malloc(64);
    if (a == NULL || b == NULL)
        abort();
    memcpy(b, a, 64);
    assert(b[8] == 0);
    free(a);
    free(b);
    return 0;
}
