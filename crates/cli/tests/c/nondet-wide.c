// expect: sc verified
#include <assert.h>
#include <stddef.h>
__int128 __VERIFIER_nondet_int128(void);
void __VERIFIER_nondet_memory(void *, size_t);
struct pair { short a; int b; };
int main(void) {
    __int128 q = __VERIFIER_nondet_int128();
    if (q > (__int128)1 << 100) assert(q >> 90 >= 1024);
    struct pair p = {0, 0};
    __VERIFIER_nondet_memory(&p, sizeof p);
    if (p.b > 5 && p.a == 3) assert(p.b + 0L + p.a >= 9);
    return 0;
}
