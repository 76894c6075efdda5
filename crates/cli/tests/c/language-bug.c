// Wide, narrow and vector arithmetic are really computed: each claim is wrong in one bit.
// expect: rc11 violated assertion
// args: -DCLAIM=0
// args: -DCLAIM=1
// args: -DCLAIM=2
// args: -DCLAIM=3
// args: -DCLAIM=4 -O2
// args: -DCLAIM=5
#include <assert.h>
#include <stdint.h>
typedef int v4 __attribute__((vector_size(16)));
v4 a = {1, 2, 3, 4};
volatile int zero;
int main(void) {
    __int128 w = ((__int128)1 << 90) + zero;
    float f = 0.1f + zero;
    switch (CLAIM) {
    case 0: assert((w >> 64) == ((1 << 26) | 1)); break;
    case 1: assert((double)f == 0.1); break;
    case 2: assert((a + a)[3] == 9); break;
    case 3: assert((uint8_t)(zero + 255 + 2) == 0); break;
    case 4: { int s = 0; for (int i = 0; i < 4; i++) s += a[i]; assert(s == 11); break; }
    case 5: assert(__builtin_elementwise_add_sat((int8_t)(100 + zero), (int8_t)100) == -56); break;
    }
}
