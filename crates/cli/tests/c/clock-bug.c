// What only happens at some times happens.
// expect: rc11 violated assertion line=8
#include <assert.h>
#include <time.h>
int main(void) {
    struct timespec a;
    clock_gettime(CLOCK_MONOTONIC, &a);
    assert(a.tv_nsec + 1 != 7);
}
