// expect: rc11 verified executions=1
#include <assert.h>
#include <setjmp.h>
jmp_buf env;
void deep(int n) { int local[2] = {n, n}; int *p = local; if (*p) deep(n - 1); longjmp(env, 4); }
int main(void) {
    volatile int count = 0;
    int r = setjmp(env);
    if (r == 0) { count++; deep(3); }
    assert(r == 4 && count == 1);
}
