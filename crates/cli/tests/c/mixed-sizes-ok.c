// Plain accesses of any size, before the memory is shared.
// expect: rc11 verified
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    unsigned char *bytes = malloc(8);
    memset(bytes, 0, 8);
    bytes[1] = 1;
    assert(*(int *)bytes == 256 && *(long *)bytes == 256);
    free(bytes);
}
