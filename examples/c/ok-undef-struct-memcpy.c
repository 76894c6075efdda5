// One member was set; memcpy takes both, and the one that was set is used.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct s {
    char c;
    int i;
};

int main(void)
{
    struct s *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    if (a == NULL || b == NULL)
        abort();
    a->c = 1;
    memcpy(b, a, sizeof *a);
    assert(b->c == 1);
    free(a);
    free(b);
    return 0;
}
