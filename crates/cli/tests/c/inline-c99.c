// An inline definition of C99 serves the calls in its file.
// expect: rc11 verified
// args:
// args: -O0
// args: -std=c99
// args: -O2
#include <assert.h>
inline int add(int a, int b) { return a + b; }
inline int factorial(int n) { return n ? n * factorial(n - 1) : 1; }
extern inline int sub(int a, int b) { return a - b; }
static inline int twice(int a) { return 2 * a; }
int main(void) {
    int (*f)(int, int) = add;
    assert(add(1, 2) == 3 && f(2, 2) == 4 && sub(3, 1) == 2 && twice(2) == 4 && factorial(4) == 24);
    return 0;
}
