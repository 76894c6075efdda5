// Loops without end are cut.
// expect: rc11 bounded
#include <stdatomic.h>

static atomic_int x;

int main(void)
{
    for (int i = 1; i; i += 2)
        x = 1;
    return 0;
}
