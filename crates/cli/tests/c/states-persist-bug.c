// What makes data persist is nothing to other threads, and the thread goes on after it.
// check: --engine states --errors assertion
// expect: sc violated assertion
#include <assert.h>
#include <unistd.h>
int main(void) {
    __asm__ volatile("sfence" ::: "memory");
    sync();
    assert(0);
}
