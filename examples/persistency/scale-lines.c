// N cache lines are written, of which recovery reads four: 2^4 states, whatever N is.
//
// expect: px86 tso verified states=16

#include <selvedge.h>

#ifndef N
#define N 100
#endif

static struct {
    _Alignas(64) long value;
} lines[N];

void __VERIFIER_recovery_routine(void)
{
    long sum = lines[0].value + lines[N / 3].value + lines[N / 2].value + lines[N - 1].value;
    (void)sum;
}

int main(void)
{
    selvedge_durable(lines, sizeof lines);
    for (int i = 0; i < N; i++)
        lines[i].value = 1;
    return 0;
}
