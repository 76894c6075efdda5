// expect: rc11 violated leak line=4
// check: --errors leak
#include <stdlib.h>
int main(void) { return malloc(4) == (void *)1; }
