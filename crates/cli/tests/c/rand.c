// expect: sc verified
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>
#include <time.h>
int main(void) {
    srand(time(0));
    int x;
    switch (rand() % 3) {
    case 0: x = 1; break;
    case 1: x = 2; break;
    default: x = rand() < 100 ? 3 : 4;
    }
    assert(1 <= x && x <= 4);
}
