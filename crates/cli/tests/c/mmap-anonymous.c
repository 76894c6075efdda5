// Memory of no file is all zeros, and ends where it ends.
// expect: rc11 violated out-of-bounds line=10
#include <assert.h>
#include <sys/mman.h>
int main(void) {
    int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED && p[1023] == 0);
    p[1023] = 1;
    assert(p[1023] == 1);
    p[1024] = 1;
}
