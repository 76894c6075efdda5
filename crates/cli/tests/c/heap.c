// expect: rc11 verified executions=1
// check: --leaks
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
    int *p = calloc(4, sizeof *p);
    assert(p[3] == 0);
    p[0] = 7;
    p = realloc(p, 8 * sizeof *p);
    assert(p[0] == 7);
    p[7] = 1;
    free(p);
    p = realloc(0, 4);
    *p = 2;
    free(p);
    void *q;
    assert(posix_memalign(&q, 64, 64) == 0 && ((uintptr_t)q & 63) == 0);
    free(q);
    free(aligned_alloc(32, 64));
    free(0);
}
