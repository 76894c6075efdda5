// A bound for a loop by its name holds in any case.
// expect: rc11 bounded
// check: --unroll-loop main=3
#include <stdatomic.h>

static atomic_int x;

int main(void)
{
    for (int i = 0; i < 42; i++)
        x = i;
    return 0;
}
