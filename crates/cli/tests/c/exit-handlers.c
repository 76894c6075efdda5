// Handlers run in reverse order, at `exit` as at the end of `main`.
// expect: rc11 violated assertion line=6
#include <assert.h>
#include <stdlib.h>
int order;
void first(void) { assert(order != 2); }
void second(void) { assert(order == 1); order = 2; }
int main(void) {
    atexit(first);
    atexit(second);
    order = 1;
    return 0;
}
