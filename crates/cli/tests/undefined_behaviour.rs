//! Undefined behaviour of single expressions and calls, each beside what is defined and looks much like it.

use crate::support;

use support::twins::twins;

#[test]
fn a_call_has_the_type_of_what_is_called() {
    twins(
        "undefined-behaviour",
        "",
        "static int g(int a) { return a; }
int main(void) { int (*f)(int) = g; return f(0); }",
        "static int g(int a, int b) { return a + b; }
int main(void) { int (*f)(int) = (int (*)(int))g; return f(0); }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static long g(long a) { return a; }
int main(void) { long (*f)(long) = g; return f(0); }",
        "static long g(int a) { return a; }
int main(void) { long (*f)(long) = (long (*)(long))g; return f(0); }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static int g(double a) { return (int)a; }
int main(void) { int (*f)(double) = g; return f(0); }",
        "static int g(float a) { return (int)a; }
int main(void) { int (*f)(double) = (int (*)(double))g; return f(0); }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static void *g(char *a) { return a; }
int main(void) { void *(*f)(void *) = (void *(*)(void *))g; return f(0) != 0; }",
        "static void *g(long a) { return (void *)a; }
int main(void) { void *(*f)(void *) = (void *(*)(void *))g; return f(0) != 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static int g(void) { return 1; }
int main(void) { int (*f)(void) = g; return f() - 1; }",
        "static int g(void) { return 1; }
int main(void) { void (*f)(void) = (void (*)(void))g; f(); return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static int g(int n, ...) { return n; }
int main(void) { int (*f)(int, ...) = g; return f(0, 1); }",
        "static int g(int n, int m) { return n * m; }
int main(void) { int (*f)(int, ...) = (int (*)(int, ...))g; return f(0, 1); }",
    );
    twins(
        "undefined-behaviour",
        "-std=gnu11 -Wno-everything",
        "static int g();
int main(void) { return g(1, 2) - 3; }
static int g(a, b) int a; char b; { return a + b; }",
        "static int g();
int main(void) { return g(1) - 3; }
static int g(a, b) int a; char b; { return a + b; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "struct s { long a[5]; };
static int g(struct s s) { return (int)s.a[0]; }
int main(void) { struct s s = {{0}}; int (*f)(struct s) = g; return f(s); }",
        "struct s { long a[5]; };
struct t { long a[6]; };
static int g(struct t s) { return (int)s.a[0]; }
int main(void) { struct s s = {{0}}; int (*f)(struct s) = (int (*)(struct s))g; return f(s); }",
    );
}

#[test]
fn a_thread_starts_in_a_function_that_takes_a_pointer() {
    twins(
        "undefined-behaviour",
        "-std=gnu11 -Wno-everything",
        "static void *t() { return 0; }
int main(void) { pthread_t q; pthread_create(&q, 0, t, 0); pthread_join(q, 0); return 0; }",
        "static void t(void) { }
int main(void) { pthread_t q; pthread_create(&q, 0, (void *(*)(void *))t, 0); pthread_join(q, 0); return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static int t(void *a) { return a != 0; }
int main(void) { thrd_t q; thrd_create(&q, t, 0); thrd_join(q, 0); return 0; }",
        "static void *t(void *a) { return a; }
int main(void) { thrd_t q; thrd_create(&q, (thrd_start_t)t, 0); thrd_join(q, 0); return 0; }",
    );
}

#[test]
fn atomic_accesses_are_aligned() {
    twins(
        "undefined-behaviour",
        "",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 4); atomic_store(q, 1); return e; }",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 2); atomic_store(q, 1); return e; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 4); (void)atomic_load(q); return e; }",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 2); (void)atomic_load(q); return e; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 4); atomic_fetch_add(q, 1); return e; }",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 2); atomic_fetch_add(q, 1); return e; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 4); atomic_exchange(q, 2); return e; }",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 2); atomic_exchange(q, 2); return e; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 4); atomic_compare_exchange_strong(q, &e, 1); return e; }",
        "static _Alignas(8) char b[16];
int main(void) { int e = 0; atomic_int *q = (atomic_int *)(b + 2); atomic_compare_exchange_strong(q, &e, 1); return e; }",
    );
}

#[test]
fn what_is_copied_does_not_overlap() {
    twins(
        "undefined-behaviour",
        "",
        r#"int main(void) { char b[8] = "abcdefg"; volatile int n = 4; memcpy(b + 4, b, n); return 0; }"#,
        r#"int main(void) { char b[8] = "abcdefg"; volatile int n = 5; memcpy(b + 1, b, n); return 0; }"#,
    );
    twins(
        "undefined-behaviour",
        "",
        r#"int main(void) { char b[8] = "abcdefg"; volatile int n = 5; memmove(b, b + 1, n); memcpy(b, b, n); return 0; }"#,
        r#"int main(void) { char b[8] = "abcdefg"; volatile int n = 5; memcpy(b, b + 1, n); return 0; }"#,
    );
    twins(
        "undefined-behaviour",
        "",
        "struct s { int a[10]; };
int main(void) { struct s x = {{1}}; struct s *p = &x, *q = p; *p = *q; return p->a[1]; }",
        "struct s { int a[10]; };
int main(void) { int x[12] = {1}; struct s *p = (struct s *)x, *q = (struct s *)(x + 1); *p = *q; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        r#"int main(void) { char b[8] = "abc"; strcpy(b + 4, b); strcat(b + 6, "x" + 1); return 0; }"#,
        r#"int main(void) { char b[8] = "abcdefg"; strcpy(b, b + 2); return 0; }"#,
    );
}

#[test]
fn an_array_of_variable_length_has_elements() {
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int n = 1; char a[n]; a[0] = 1; return 0; }",
        "int main(void) { volatile int n = -1; char a[n]; a[0] = 1; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int n = 1; char a[n]; a[0] = 1; return 0; }",
        "int main(void) { volatile int n = 0; char a[n]; a[0] = 1; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile short n = 2, m = 1; int a[n][m]; a[1][0] = 0; return a[1][0]; }",
        "int main(void) { volatile short n = 2, m = -1; int a[n][m]; a[1][0] = 0; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile size_t n = 2; int a[n * 2]; a[3] = 0; void *p = __builtin_alloca(n - 2); return a[3] + (p == 0); }",
        "int main(void) { volatile long n = -2; int a[n * 2]; a[3] = 0; return 0; }",
    );
}

#[test]
fn a_number_that_is_converted_fits() {
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 2147483647.5; volatile int i = (int)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 2147483648.0; volatile int i = (int)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = -2147483648.5; volatile int i = (int)d; (void)i; return 0; }",
        "int main(void) { volatile double d = -2147483649.0; volatile int i = (int)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = -0.5; volatile unsigned i = (unsigned)d; (void)i; return 0; }",
        "int main(void) { volatile double d = -1.0; volatile unsigned i = (unsigned)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 4294967295.5; volatile unsigned i = (unsigned)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 4294967296.0; volatile unsigned i = (unsigned)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = -9223372036854775808.0; volatile long i = (long)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 9223372036854775808.0; volatile long i = (long)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 9223372036854775808.0; volatile unsigned long i = (unsigned long)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 18446744073709551616.0; volatile unsigned long i = (unsigned long)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 32767.5; volatile short i = (short)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 32768.0; volatile short i = (short)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 255.9; volatile unsigned char i = (unsigned char)d; (void)i; return 0; }",
        "int main(void) { volatile double d = 256.0; volatile unsigned char i = (unsigned char)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 1.0; volatile int i = (int)d; (void)i; return 0; }",
        r#"int main(void) { volatile double d = __builtin_nan(""); volatile int i = (int)d; (void)i; return 0; }"#,
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile double d = 1.0; volatile long i = (long)d; (void)i; return 0; }",
        "int main(void) { volatile double d = -__builtin_inf(); volatile long i = (long)d; (void)i; return 0; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile float d = 2147483520.0f; return (int)d == 0; }",
        "int main(void) { volatile float d = 2147483648.0f; return (int)d == 0; }",
    );
}

#[test]
fn zeros_of_zero_are_not_counted() {
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1; return __builtin_clz(x) == 77; }",
        "int main(void) { volatile unsigned x = 0; return __builtin_clz(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1; return __builtin_ctz(x) == 77; }",
        "int main(void) { volatile unsigned x = 0; return __builtin_ctz(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned long x = 1; return __builtin_clzl(x) == 77; }",
        "int main(void) { volatile unsigned long x = 0; return __builtin_clzl(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned long x = 1; return __builtin_ctzl(x) == 77; }",
        "int main(void) { volatile unsigned long x = 0; return __builtin_ctzl(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned long long x = 1; return __builtin_clzll(x) == 77; }",
        "int main(void) { volatile unsigned long long x = 0; return __builtin_clzll(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned long long x = 1; return __builtin_ctzll(x) == 77; }",
        "int main(void) { volatile unsigned long long x = 0; return __builtin_ctzll(x) == 77; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int x = 0; return __builtin_ffs(x); }",
        "int main(void) { volatile int x = 0; return __builtin_ctz(x); }",
    );
}

#[test]
fn a_shift_is_by_less_than_the_width() {
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int x = 1, n = 30; return (x << n) == 5; }",
        "int main(void) { volatile int x = 1, n = 32; return (x << n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int x = 1, n = 30; return (x << n) == 5; }",
        "int main(void) { volatile int x = 1, n = -1; return (x << n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int x = 1, n = 31; return (x >> n) == 5; }",
        "int main(void) { volatile int x = 1, n = 32; return (x >> n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile int x = 1, n = 31; return (x >> n) == 5; }",
        "int main(void) { volatile int x = 1, n = -1; return (x >> n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1, n = 31; return (x >> n) == 5; }",
        "int main(void) { volatile unsigned x = 1, n = 32; return (x >> n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1, n = 31; return (x >> n) == 5; }",
        "int main(void) { volatile unsigned x = 1, n = -1; return (x >> n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1; volatile int n = 31; x <<= n; return x == 5; }",
        "int main(void) { volatile unsigned x = 1; volatile int n = 32; x <<= n; return x == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned x = 1; volatile int n = 31; x <<= n; return x == 5; }",
        "int main(void) { volatile unsigned x = 1; volatile int n = -1; x <<= n; return x == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile short x = 1; volatile int n = 31; x >>= n; return x == 5; }",
        "int main(void) { volatile short x = 1; volatile int n = 32; x >>= n; return x == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile short x = 1; volatile int n = 31; x >>= n; return x == 5; }",
        "int main(void) { volatile short x = 1; volatile int n = -1; x >>= n; return x == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned long x = 1; volatile int n = 63; return (x << n) == 5; }",
        "int main(void) { volatile unsigned long x = 1; volatile int n = 64; return (x << n) == 5; }",
    );
    twins(
        "undefined-behaviour",
        "",
        "int main(void) { volatile unsigned __int128 x = 1; volatile int n = 127; return (x << n) == 5; }",
        "int main(void) { volatile unsigned __int128 x = 1; volatile int n = 128; return (x << n) == 5; }",
    );
}

#[test]
fn allocation_with_a_wrong_alignment_fails() {
    twins(
        "assertion",
        "",
        "int main(void) { assert(aligned_alloc(3, 9) == 0 && errno == EINVAL); void *p = aligned_alloc(64, 10); assert(p); free(p); return 0; }",
        "int main(void) { void *p = aligned_alloc(3, 9); assert(p); return 0; }",
    );
    twins(
        "assertion",
        "",
        "int main(void) { void *p; assert(posix_memalign(&p, 3, 8) == EINVAL && posix_memalign(&p, 4, 8) == EINVAL); assert(posix_memalign(&p, 64, 8) == 0); free(p); return 0; }",
        "int main(void) { void *p; assert(posix_memalign(&p, 3, 8) == 0); return 0; }",
    );
}

#[test]
fn null_has_no_usable_size() {
    twins(
        "invalid-free",
        "",
        "int main(void) { assert(malloc_usable_size(0) == 0); void *p = malloc(3); assert(malloc_usable_size(p) >= 3); free(p); return 0; }",
        "int main(void) { char c; return (int)malloc_usable_size(&c); }",
    );
}

#[test]
fn pointer_arithmetic_stays_within_an_object() {
    twins(
        "out-of-bounds",
        "",
        "struct n { long x; struct n *l; };
int main(void) { struct n *a = malloc(sizeof *a), *b = malloc(sizeof *b); b->x = 7;
  uintptr_t both = (uintptr_t)a ^ (uintptr_t)b; struct n *c = (struct n *)(both ^ (uintptr_t)a);
  uintptr_t d = (uintptr_t)b - (uintptr_t)a; struct n *e = (struct n *)((uintptr_t)a + d);
  struct n **m = &c->l; struct n *o = (struct n *)((char *)m - offsetof(struct n, l));
  int r = c->x == 7 && e->x == 7 && o->x == 7; free(a); free(b); return !r; }",
        "int main(void) { int *a = malloc(4), *b = malloc(4); *b = 7; volatile long d = (char *)b - (char *)a;
  int r = *(int *)((char *)a + d); free(a); free(b); return r - 7; }",
    );
}

#[test]
fn strict_bounds_are_those_of_the_array_within_the_object() {
    twins(
        "out-of-bounds",
        "--strict-bounds",
        "struct s { int a[2]; int b; };
int main(void) { volatile int i = 2; struct s *x = calloc(1, sizeof *x); x->a[i - 1] = 5; int *end = &x->a[i]; int n = end - x->a; free(x); return n - 2; }",
        "struct s { int a[2]; int b; };
int main(void) { volatile int i = 2; struct s *x = calloc(1, sizeof *x); x->a[i] = 5; free(x); return 0; }",
    );
    twins(
        "out-of-bounds",
        "--strict-bounds",
        "struct s { int b; int a[2]; };
int main(void) { volatile int i = 0; struct s x = {0}; struct s *p = &x; return p->a[i]; }",
        "struct s { int b; int a[2]; };
int main(void) { volatile int i = -1; struct s x = {0}; struct s *p = &x; return p->a[i]; }",
    );
    twins(
        "out-of-bounds",
        "--strict-bounds",
        "static int a[2][2];
int main(void) { volatile int j = 1; a[1][j] = 1; return 0; }",
        "static int a[2][2];
int main(void) { volatile int j = 2; a[0][j] = 1; return 0; }",
    );
    twins(
        "out-of-bounds",
        "--strict-bounds -Wno-everything",
        "struct s { int a[2]; int b; };
int main(void) { struct s x = {0}, *p = &x; p->a[1] = 1; return 0; }",
        "struct s { int a[2]; int b; };
int main(void) { struct s x = {0}, *p = &x; p->a[2] = 1; return 0; }",
    );
    twins(
        "out-of-bounds",
        "--strict-bounds",
        "struct f { int n; int a[]; }; struct o { int n; int a[1]; };
int main(void) { volatile int i = 2; struct f *f = calloc(1, sizeof *f + 12); struct o *o = calloc(1, sizeof *o + 12); f->a[i] = o->a[i] = 1; free(f); free(o); return 0; }",
        "struct f { int n; int a[1]; int m; };
int main(void) { volatile int i = 1; struct f *f = calloc(1, sizeof *f); f->a[i] = 1; free(f); return 0; }",
    );
    twins(
        "out-of-bounds",
        "",
        "struct s { int a[2]; int b; };
int main(void) { volatile int i = 2; struct s *x = calloc(1, sizeof *x); x->a[i] = 5; free(x); return 0; }",
        "struct s { int a[2]; int b; };
int main(void) { volatile int i = 3; struct s *x = calloc(1, sizeof *x); x->a[i] = 5; free(x); return 0; }",
    );
}
