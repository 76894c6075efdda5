// One member was set; memcpy takes the other along as it is.
// expect: sc violated uninitialised-read line=21
// expect: tso violated uninitialised-read line=21
// expect: rc11 violated uninitialised-read line=21
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
    assert(b->i == 0);
    free(a);
    free(b);
    return 0;
}
