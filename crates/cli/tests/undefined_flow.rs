//! Undefined values through what moves code and values around: promotion, each pass over loops, memory,
//! copies, atomics. What is undefined before is undefined after, with the pass and without, and what is
//! defined stays so.

use crate::support;

use support::twins::twins;
use support::{directory, selvedge, write};

/// A program in which the value of `r` is used after it went through something; `set` sets it.
fn both(body: &str) {
    twins(
        "uninitialised-read",
        "",
        &body.replace("SET", "r = 1;"),
        &(body.replace("SET", "extern volatile int zero; if (zero) r = 1;") + "\nvolatile int zero;"),
    );
}

#[test]
fn promotion_takes_no_value_that_suits_it() {
    both("int main(void) { int r; SET return r == 1 ? 0 : 3; }");
    both("static int f(void) { int r; SET return r; } int main(void) { assert(f() == 1); }");
    // Each iteration has a variable of its own.
    both("int main(void) { for (int i = 0; i < 2; i++) { int r; SET if (r != 1) return 1; } }");
    twins(
        "uninitialised-read",
        "",
        "int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int r = 1; s += r; } return s != 2; }",
        "int main(void) { int s = 0; for (int i = 0; i < 2; i++) { int r; if (i == 0) r = 1; s += r; } return s; }",
    );
    // Whatever level of optimisation is asked for.
    for flag in ["-O1", "-O2", "-O3"] {
        twins(
            "uninitialised-read",
            flag,
            "int main(void) { int r = 1; assert(r == 1); }",
            "volatile int k; int main(void) { int r; if (k) r = 1; assert(r == 1); }",
        );
    }
}

#[test]
fn the_world_outside_is_told_defined_values() {
    both("int main(void) { int r; SET return r - 1; }");
    both("int main(void) { int r; SET exit(r); }");
    both("void _Exit(int); int main(void) { int r; SET _Exit(r); }");
    both("int printf(const char *, ...); int main(void) { int r; SET printf(\"%d\", r); }");
    both("double hypot(double, double); int main(void) { int r; SET return hypot(0.0, r) > 1.0; }");
    // All of what is printed, not only a part.
    twins(
        "uninitialised-read",
        "",
        "int printf(const char *, ...); int main(void) { long x = 0; int one = 1; memcpy(&x, &one, 4); printf(\"%ld\", x); }",
        "int printf(const char *, ...); int main(void) { long x; int one = 1; memcpy(&x, &one, 4); printf(\"%ld\", x); }",
    );
}

#[test]
fn variables_die_with_their_block() {
    twins(
        "dead-stack",
        "",
        "int main(void) { int *q; int x = 3; { q = &x; } return *q != 3; }",
        "int main(void) { int *q; { int x = 3; q = &x; } return *q != 3; }",
    );
    twins(
        "dead-stack",
        "",
        "static int *keep(int *p) { return p; } int main(void) { int n = 2, a[n]; a[0] = 0; return *keep(a); }",
        "static int *keep(int *p) { return p; }
volatile int n = 2; int main(void) { int *q; { int a[n]; a[0] = 0; q = keep(a); } return *q; }",
    );
    twins(
        "dead-stack",
        "",
        "int *g; static int f(int *p) { if (g) return *g; g = p; return 0; }
int main(void) { static int x; for (int i = 0; i < 2; i++) { x = 0; if (f(&x)) return 1; } }",
        "int *g; static int f(int *p) { if (g) return *g; g = p; return 0; }
int main(void) { for (int i = 0; i < 2; i++) { int x = 0; if (f(&x)) return 1; } }",
    );
}

#[test]
fn memory_and_copies_keep_what_is_undefined() {
    both("int g; int main(void) { int r; g = 5; SET g = r; assert(g == 1); }");
    both(
        "struct s { char c; int i; }; int main(void) { struct s a, b; int r; SET a.c = 1; a.i = r; b = a; return b.i != 1; }",
    );
    both(
        "int main(void) { int r, *a = malloc(64), *b = malloc(64); memset(a, 1, 32); SET a[9] = r; memcpy(b, a, 64); if (b[9] != 1) return 1; free(a); free(b); }",
    );
    both(
        "union u { int i; char c[4]; }; int main(void) { union u u; int r; SET u.i = r; u.c[1] = 0; return u.c[0] != 1; }",
    );
    both(
        "int main(void) { int r, *a = malloc(4); SET *a = r; a = realloc(a, 8192); if (*a != 1) return 1; free(a); }",
    );
    twins(
        "uninitialised-read",
        "",
        "struct b { unsigned x : 3, y : 5; }; int main(void) { struct b b; b.x = 3; assert(b.x == 3); }",
        "struct b { unsigned x : 3, y : 5; }; int main(void) { struct b b; b.x = 3; assert(b.y == 3); }",
    );
    // Long runs of bytes, in part.
    twins(
        "uninitialised-read",
        "",
        "int main(void) { char *p = malloc(20000), *q = malloc(20000); memset(p, 1, 20000); memcpy(q, p, 20000); assert(q[19999] == 1); q[7] = 2; assert(q[7] == 2 && q[8] == 1); }",
        "int main(void) { char *p = malloc(20000), *q = malloc(20000); memset(p, 1, 19999); memcpy(q, p, 20000); assert(q[19999] == 1); }",
    );
}

#[test]
fn atomics_move_what_is_undefined() {
    both("atomic_int x; int main(void) { int r; SET x = r; return x != 1; }");
    both("atomic_int x; int main(void) { int r; SET atomic_exchange(&x, r); return atomic_load(&x) != 1; }");
    both("atomic_int x; int main(void) { int r; SET atomic_fetch_add(&x, r); return atomic_load(&x) != 1; }");
    both("atomic_int x; int main(void) { int r; SET return atomic_compare_exchange_strong(&x, &r, 2); }");
    both(
        "atomic_int x; int main(void) { int r; SET x = r; int e = 0; return atomic_compare_exchange_strong(&x, &e, 2); }",
    );
    twins(
        "uninitialised-read",
        "",
        "int main(void) { atomic_int *x = malloc(4); atomic_fetch_and(x, 0); if (*x) return 1; free(x); }",
        "int main(void) { atomic_int *x = malloc(4); atomic_fetch_and(x, 1); if (*x) return 1; free(x); }",
    );
    // Padding is never set.
    twins(
        "uninitialised-read",
        "",
        "struct h { void *p; unsigned tag; }; _Atomic struct h h;
int main(void) { struct h e = h, n; do { n.p = &h; n.tag = e.tag + 1; } while (!atomic_compare_exchange_weak(&h, &e, n));
e = h; n.p = 0; n.tag = 7; assert(atomic_compare_exchange_strong(&h, &e, n)); }",
        "struct h { int a, b; }; _Atomic struct h h;
int main(void) { struct h e, n = { 1, 1 }; e.a = 0; return atomic_compare_exchange_strong(&h, &e, n); }",
    );
}

/// Programs whose loops each pass has something to do with, in a thread beside `main`; `r` passes through
/// the loop.
const LOOPS: [(&str, &str); 7] = [
    ("spin-assume", "while (!atomic_load(&x));"),
    ("rotation", "int v = atomic_load(&x); while (!v) v = atomic_load(&x);"),
    ("bisimilarity", "int v = atomic_load(&x); while (v == 0) { v = atomic_load(&x); }"),
    ("pef", "for (;;) { int v = atomic_load(&x); if (v) break; int w = r; r = w; }"),
    ("retry", "int e = atomic_load(&y); while (!atomic_compare_exchange_weak(&y, &e, e + 1));"),
    (
        "carry",
        "int *n = malloc(4); *n = atomic_load(&y); while (!atomic_compare_exchange_weak(&y, n, 5)); free(n);",
    ),
    ("zne", "while (atomic_fetch_sub(&z, 1) <= 0) { atomic_fetch_add(&z, 1); }"),
];

#[test]
fn every_pass_gives_out_what_it_was_given() {
    let dir = directory("undefined-passes");
    for (pass, body) in LOOPS {
        for (set, expected) in [("r = 1;", "\"verified\""), ("if (zero) r = 1;", "\"uninitialised-read\"")] {
            let text = format!(
                "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <assert.h>\n\
                 atomic_int x, y, z; volatile int zero;\n\
                 static void *t(void *a) {{ x = 1; z = 1; return a; }}\n\
                 int main(void) {{ pthread_t p; pthread_create(&p, 0, t, 0); int r; {set}\n{body}\n\
                 assert(r == 1); pthread_join(p, 0); }}\n"
            );
            let file = write(&dir, "program.c", text);
            for without in ["", pass, "all"] {
                let run =
                    selvedge(["check", "--unroll", "3", "--format", "json", "--disable", without, &file]);
                let bounded = expected == "\"verified\"" && run.out.contains("\"bounded\"");
                assert!(run.out.contains(expected) || bounded, "{pass} without {without:?}: {}", run.out);
            }
        }
    }
}
