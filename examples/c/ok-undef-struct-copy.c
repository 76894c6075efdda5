// A struct with an unset member and padding is copied; the member that was set is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>

struct s {
    char c;
    int i, j;
};

int main(void)
{
    struct s *a = malloc(sizeof *a);
    if (a == NULL)
        abort();
    a->c = 1;
    a->j = 2;
    struct s b = *a, d;
    d = b;
    assert(d.c == 1 && d.j == 2);
    free(a);
    return 0;
}
