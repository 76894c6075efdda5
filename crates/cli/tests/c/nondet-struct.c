// Through structures, bit-fields and unions.
// expect: sc verified
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
extern long __VERIFIER_nondet_long(void);
struct s { char c; short h; int i; long l; unsigned f : 5, g : 11; } x, y;
union u { unsigned w; unsigned char b[4]; };
static struct s id(struct s a) { return a; }
int main(void) {
    x.c = __VERIFIER_nondet_char();
    x.h = (short)__VERIFIER_nondet_int();
    x.i = __VERIFIER_nondet_int();
    x.l = __VERIFIER_nondet_long();
    x.f = __VERIFIER_nondet_uint() & 31;
    x.g = 1000;
    y = id(x);
    assert(y.c == x.c && y.h == x.h && y.i == x.i && y.l == x.l && y.f == x.f && y.g == 1000);
    union u v;
    v.w = __VERIFIER_nondet_uint();
    unsigned back = v.b[0] | v.b[1] << 8 | v.b[2] << 16 | (unsigned)v.b[3] << 24;
    assert(back == v.w);
}
