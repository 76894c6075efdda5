// expect: rc11 verified
#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
int main(void) {
    assert(malloc_usable_size(0) == 0);
    assert(aligned_alloc(3, 9) == 0);
    return 0;
}
