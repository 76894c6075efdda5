// Each iteration has a variable of its own: what the one before stored is gone.
// expect: sc violated uninitialised-read line=13
// expect: tso violated uninitialised-read line=13
// expect: rc11 violated uninitialised-read line=13
#include <assert.h>

int main(void)
{
    for (int i = 0; i < 3; i++) {
        int a;
        if (i == 0)
            a = 4;
        assert(a == 4);
    }
    return 0;
}
