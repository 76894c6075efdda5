// expect: rc11 verified executions=1
#include <assert.h>
#include <stdlib.h>
int order;
void first(void) { assert(order == 2); }
void second(void) { assert(order == 1); order = 2; }
int main(void) {
    atexit(first);
    atexit(second);
    order = 1;
    exit(0);
}
