// expect: rc11 unknown
// message: accesses of different sizes
#include <stdatomic.h>
union { _Atomic int whole; _Atomic short half; } u;
int main(void) {
    atomic_store(&u.whole, 1);
    return atomic_load(&u.half);
}
