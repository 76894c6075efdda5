// expect: sc unknown
// message: depends on an unknown input
#include <stdlib.h>
int table[4];
int main(void) { return table[rand() % 4]; }
