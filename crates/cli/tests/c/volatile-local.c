// Volatile variables that nobody else sees, members, bit-fields, pointers, floats.
// expect: rc11 verified executions=1
// check: --volatile atomic
#include <assert.h>
static volatile struct { unsigned a : 3, b : 5; double d; short s[2]; void *p; } v;
int main(void) {
    int sum = 0;
    for (volatile int i = 0; i < 5; i++) sum += i;
    v.a = 5;
    v.b = 9;
    v.d = 0.5;
    v.s[1] = -2;
    v.p = (void *)&v;
    assert(sum == 10 && v.a == 5 && v.b == 9 && v.d == 0.5 && v.s[1] == -2 && v.p == &v);
    return 0;
}
