// Loops that no other thread has a say in are run to their end, whatever `--unroll` says.
// expect: rc11 verified executions=1
// check: --unroll 3
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int x;
static int cells[64];

static int length(const char *text)
{
    const char *at = text;
    while (*at)
        at++;
    return at - text;
}

int main(void)
{
    for (int i = 0; i < 42; i++)
        x = i;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            cells[8 * i + j] = x + i;
    int sum = 0;
    for (int i = 63; i >= 0; i--)
        sum += cells[i];
    assert(sum == 64 * 41 + 8 * 28);
    assert(length("a text that is longer than the bound") == 36);
    return 0;
}
