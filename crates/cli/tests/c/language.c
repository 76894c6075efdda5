// What C has to offer, at every level of optimisation.
// expect: rc11 verified executions=1
// args: -O0
// args: -O1
// args: -O2
// check: --unroll 100
#include <assert.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <stdlib.h>
#include <pthread.h>
#include <stdatomic.h>
typedef int v4 __attribute__((vector_size(16)));
typedef float f4 __attribute__((vector_size(16)));
v4 ga = {1,2,3,4}, gb = {10,20,30,40};
union u { float f; uint32_t i; unsigned char b[4]; };
int fib(int n) { return n < 2 ? n : fib(n-1) + fib(n-2); }
__thread int tls = 3;
static int ctor_ran;
__attribute__((constructor)) void ctor(void) { ctor_ran = 1; }
int (*table[2])(int) = {fib, abs};
int main(void) {
    v4 c = ga + gb * 2; 
    assert(c[0] == 21 && c[3] == 84);
    v4 m = ga < gb; assert(m[0] == -1);
    f4 f = {1,2,3,4}; f = f * 0.5f; assert(f[1] == 1.0f);
    v4 sh = __builtin_shufflevector(ga, gb, 0, 4, 1, 5); assert(sh[1] == 10);
    v4 conv = __builtin_convertvector(f, v4); assert(conv[3] == 2);
    int idx = 2; assert(ga[idx] == 3); 
    union u u; u.f = 1.0f; assert(u.i == 0x3f800000 && u.b[3] == 0x3f);
    assert(table[0](10) == 55 && table[1](-4) == 4);
    assert(ctor_ran && tls == 3);
    __int128 w = (__int128)1 << 100; w = w * 3 / 7 % 1000007; assert(w >= 0);
    unsigned __int128 uw = ~(unsigned __int128)0; assert((uint64_t)(uw >> 64) == ~0ull);
    int r; assert(__builtin_add_overflow(2147483647, 1, &r)); assert(!__builtin_mul_overflow(3, 4, &r) && r == 12);
    assert(__builtin_popcount(255) == 8 && __builtin_clz(1) == 31 && __builtin_ctz(8) == 3 && __builtin_bswap32(1) == 0x01000000);
    assert(__builtin_elementwise_add_sat((uint8_t)250, (uint8_t)10) == 255);
    assert(__builtin_elementwise_sub_sat((int8_t)-100, (int8_t)100) == -128);
    double d = sqrt(2.0); assert(d > 1.41 && d < 1.42); assert(fabs(-1.5) == 1.5 && floor(1.7) == 1.0 && pow(2, 10) == 1024);
    switch (r) { case 12: break; default: assert(0); }
    char s[16]; strcpy(s, "abc"); strcat(s, "def"); assert(strlen(s) == 6 && !strcmp(s, "abcdef") && !memcmp(s, "abc", 3));
    assert(strchr(s, 'd') == s + 3 && strrchr(s, 'a') == s && memchr(s, 'f', 6) == s + 5 && strstr(s, "cd") == s + 2);
    assert(!strncmp(s, "abx", 2)); strncpy(s, "xy", 16); assert(s[2] == 0);
    int *p = calloc(4, 4); assert(p[3] == 0); p = realloc(p, 32); p[7] = 1; assert(p[3] == 0); free(p);
    p = aligned_alloc(64, 64); assert(((uintptr_t)p & 63) == 0); free(p);
    void *q; assert(posix_memalign(&q, 32, 100) == 0 && ((uintptr_t)q & 31) == 0); free(q);
    assert(atoi("42") == 42 && strtol("-17", 0, 10) == -17);
    char *dup = strdup("hi"); assert(dup[1] == 'i'); free(dup);
    memmove(s + 1, s, 3); assert(s[1] == 'x');
    assert(isnan(NAN) && !isfinite(INFINITY));
    float ff = 1.5f; int i = (int)ff; assert(i == 1); unsigned long ul = (unsigned long)3e9; assert(ul == 3000000000ul);
    int vla_n = 3; int vla[vla_n]; for (int k = 0; k < vla_n; k++) vla[k] = k; assert(vla[2] == 2);
    struct { unsigned a : 3, b : 5; } bf = {5, 17}; bf.a++; assert(bf.a == 6 && bf.b == 17);
    return 0;
}
