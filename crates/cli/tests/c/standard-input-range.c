// A range of inputs is one of what is read from standard input, too: that an `a` comes is not tried.
// check: --nondet-range 0..10
// expect: rc11 bounded
#include <assert.h>
#include <stdio.h>
int main(void) { assert(getchar() != 'a'); }
