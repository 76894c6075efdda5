// Each iteration sets its variable before it looks.
// expect: sc verified
// expect: tso verified
// expect: rc11 verified
#include <assert.h>

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int a;
        if (i == 1)
            a = 4;
        int b = a;
        if (i == 1)
            sum += b;
    }
    assert(sum == 4);
    return 0;
}
