// expect: sc unknown
// message: `rand`: any value is possible
#include <stdlib.h>
int main(void) { return rand(); }
