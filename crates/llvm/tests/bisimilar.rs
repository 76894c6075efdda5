//! Loads before a loop and in it that become one.

use crate::support;

use selvedge_ir::Instr;
use selvedge_machine::{Reduction, Reductions};
use support::{c, count, function};

const HEAD: &str = "#include <stdatomic.h>\n#include <stdbool.h>\natomic_int x, y; atomic_int flags[4];\n";

fn text_of(body: &str, reductions: Reductions) -> String {
    support::text_of(&format!("{HEAD}{body}"), reductions)
}

/// How many loads there are in `f`.
fn loads(body: &str) -> usize {
    let module = c(&format!("{HEAD}{body}"));
    count(function(&module, "f"), |i| matches!(i, Instr::Load { .. }))
}

#[test]
fn before_and_after() {
    let peeled = "int f(void) { int v = atomic_load(&x); while (v == 0) v = atomic_load(&x); return v; }";
    assert_eq!(
        text_of(peeled, Reductions::NONE),
        "func &f() results 1 regs 4 {
    loop L2
      r1 = load.4.sc @x
      r0 = move r1
L2:   loophead 0 (r0) ()
      r2 = cmp.eq.32 r0, 0
      branch r2, L5, L9
L5:   r3 = load.4.sc @x
      r0 = move r3
      loopback 0
      jump L2
L9:   return (r0)
}
"
    );
    assert_eq!(
        text_of(peeled, Reductions::ALL),
        "func &f() results 1 regs 4 {
    loop L0
L0:   r1 = load.4.sc @x
      r0 = move r1
      r2 = cmp.eq.32 r0, 0
      branch r2, L4, L6
L4:   spinblock 0
      jump L0
L6:   return (r0)
}
"
    );
    let rotated = text_of(peeled, Reductions::ALL.without(Reduction::Bisimilarity));
    assert_eq!(rotated.matches("load.4").count(), 2, "{rotated}");
    assert_eq!(rotated.matches("spinblock").count(), 1, "{rotated}");
}

#[test]
fn only_what_is_the_same_is_merged() {
    assert_eq!(
        loads(
            "int f(int i) { int v = atomic_load(&flags[i]); while (!v) v = atomic_load(&flags[i]); return v; }"
        ),
        1
    );
    assert_eq!(
        loads(
            "int f(void) { int a = atomic_load(&x), b = atomic_load(&y);
            while (a != b) { a = atomic_load(&x); b = atomic_load(&y); } return a; }"
        ),
        2
    );
    // Another location, another ordering, another computation.
    assert_eq!(
        loads("int f(void) { int v = atomic_load(&x); while (!v) v = atomic_load(&y); return v; }"),
        2
    );
    assert_eq!(
        loads(
            "int f(void) { int v = atomic_load(&x); while (!v) v = atomic_load_explicit(&x, memory_order_relaxed); return v; }"
        ),
        2
    );
    assert_eq!(
        loads("int f(void) { int v = atomic_load(&x); while (v < 3) v = atomic_load(&x) + 1; return v; }"),
        2
    );
    // An index that the loop changes is still the same expression; what was read first is used later.
    assert_eq!(
        loads(
            "int f(void) { int first = atomic_load(&x); int v = first; while (!v) v = atomic_load(&x); return first + v; }"
        ),
        2
    );
}
