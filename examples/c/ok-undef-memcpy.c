// Memory of which one word was written is copied as a whole; that word is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *a = malloc(64), *b = malloc(64);
    if (a == NULL || b == NULL)
        abort();
    a[8] = 3;
    memcpy(b, a, 64);
    assert(b[8] == 3);
    free(a);
    free(b);
    return 0;
}
