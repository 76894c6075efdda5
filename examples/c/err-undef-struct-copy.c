// A member that was not set is copied with its struct.
// expect: sc violated uninitialised-read line=21
// expect: tso violated uninitialised-read line=21
// expect: rc11 violated uninitialised-read line=21
#include <assert.h>
#include <stdlib.h>

struct s {
    char c;
    int i;
};

int main(void)
{
    struct s *a = malloc(sizeof *a);
    if (a == NULL)
        abort();
    a->c = 1;
    struct s b = *a;
    assert(b.c == 1);
    assert(b.i == 0);
    free(a);
    return 0;
}
