// An error in a destructor counts.
// expect: rc11 violated assertion line=7
#include <assert.h>
#include <stdlib.h>
int order;
__attribute__((constructor)) void before(void) { assert(order++ == 0); }
__attribute__((destructor)) void after(void) { assert(order++ == 4); }
void handler(void) { assert(order++ == 2); }
int main(void) {
    atexit(handler);
    assert(order++ == 1);
}
