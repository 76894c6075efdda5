// realloc keeps what was written; what it adds is written before it is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
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
    a[3] = a[0];
    assert(a[3] == 3);
    free(a);
    return 0;
}
