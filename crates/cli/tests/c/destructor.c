// Constructors run before `main`, destructors after what `atexit` was given.
// expect: rc11 verified executions=1
#include <assert.h>
#include <stdlib.h>
int order;
__attribute__((constructor)) void before(void) { assert(order++ == 0); }
__attribute__((destructor)) void after(void) { assert(order++ == 3); }
void handler(void) { assert(order++ == 2); }
int main(void) {
    atexit(handler);
    assert(order++ == 1);
}
