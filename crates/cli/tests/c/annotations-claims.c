// Marks of single accesses do not change what is explored; a final write is checked.
// expect: rc11 violated not-final line=10
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int x, y;
int main(void) {
    int e = 0;
    __VERIFIER_final_write(atomic_store(&x, 1));
    atomic_store(&x, 2);
    return 0;
}
