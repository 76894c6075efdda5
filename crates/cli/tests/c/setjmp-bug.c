// expect: rc11 violated undefined-behaviour line=5
#include <setjmp.h>
jmp_buf env;
void set(void) { setjmp(env); }
int main(void) { set(); longjmp(env, 1); }
