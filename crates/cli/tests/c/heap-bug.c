// Memory from `malloc` is not zero, and neither is what `realloc` adds.
// expect: rc11 violated uninitialised-read line=7
#include <stdlib.h>
int main(void) {
    int *p = calloc(2, sizeof *p);
    p = realloc(p, 4 * sizeof *p);
    if (p[3]) return 1;
    free(p);
}
