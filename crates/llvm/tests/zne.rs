//! Which loops take something and put it back.

use crate::support;

use selvedge_ir::{Instr, Net};
use selvedge_llvm::Options;
use selvedge_machine::{Reduction, Reductions};
use support::{compile_files, function};

const HEAD: &str = "#include <stdatomic.h>\n#include <stdbool.h>
    atomic_int x, y; int plain; atomic_int *p; void use(int);\n";

fn text_of(body: &str, reductions: Reductions) -> String {
    support::text_of(&format!("{HEAD}{body}"), reductions)
}

/// What the read-modify-writes of `f` are marked as.
fn marks(body: &str) -> Vec<Net> {
    let module =
        compile_files(&[("test.c", &format!("{HEAD}{body}"))], &Options::default()).expect("compiles");
    let net = |instr: &Instr| match instr {
        Instr::Rmw { net, .. } => Some(*net),
        _ => None,
    };
    function(&module, "f").code.iter().filter_map(net).collect()
}

const LOCK: &str = "void f(void) {
        while (atomic_fetch_add_explicit(&x, 1, memory_order_acquire) != 0)
            atomic_fetch_sub_explicit(&x, 1, memory_order_relaxed);
    }";

#[test]
fn before_and_after() {
    let without = text_of(LOCK, Reductions::ALL.without(Reduction::Zne));
    let with = text_of(LOCK, Reductions::ALL);
    assert!(without.contains("rmw.add.4.acq @x, 1") && without.contains("rmw.sub.4.rlx @x, 1"), "{without}");
    let marked = without
        .replace("rmw.add.4.acq @x", "rmw.add.4.acq.tentative.0 @x")
        .replace("rmw.sub.4.rlx @x", "rmw.sub.4.rlx.undoes @x");
    assert_eq!(with, marked, "the marks, and nothing else");
    assert!(!text_of(LOCK, Reductions::NONE).contains("tentative"));
}

const BOTH: [Net; 2] = [Net::Tentative(0), Net::Undoes];

#[test]
fn loops_that_put_back_what_they_took() {
    assert_eq!(marks(LOCK), BOTH);
    // By the opposite operation or by the opposite number, and wherever that is.
    assert_eq!(marks("void f(void) { while (atomic_fetch_add(&x, 3) > 7) atomic_fetch_add(&x, -3); }"), BOTH);
    assert_eq!(
        marks("void f(atomic_int *q) { while (atomic_fetch_sub(q, 3) < 7) atomic_fetch_add(q, 3); }"),
        BOTH
    );
    // Waiting for a better time to try again; looking first.
    assert_eq!(
        marks(
            "void f(void) { for (;;) { if (atomic_fetch_sub(&x, 1) > 0) return; atomic_fetch_add(&x, 1);
            while (atomic_load(&x) <= 0); } }"
        ),
        BOTH
    );
    assert_eq!(
        marks(
            "void f(void) { for (;;) { if (atomic_load(&y)) return; if (!atomic_fetch_add(&x, 1)) return;
            atomic_fetch_sub(&x, 1); } }"
        ),
        BOTH
    );
}

#[test]
fn loops_that_do_more_are_left_alone() {
    for body in [
        // It puts back less, or elsewhere.
        "while (atomic_fetch_add(&x, 2)) atomic_fetch_sub(&x, 1);",
        "while (atomic_fetch_add(&x, 1)) atomic_fetch_sub(&y, 1);",
        "for (;;) { atomic_int *q = p; if (!atomic_fetch_add(q, 1)) return; atomic_fetch_sub(p, 1); }",
        // It is left after that.
        "for (;;) { if (!atomic_fetch_add(&x, 1)) return; atomic_fetch_sub(&x, 1); if (atomic_load(&x)) return; }",
        // It counts.
        "for (int i = 0; i < 9; i++) { if (!atomic_fetch_add(&x, 1)) return; atomic_fetch_sub(&x, 1); }",
        // Something stays.
        "while (atomic_fetch_add(&x, 1)) { atomic_fetch_sub(&x, 1); atomic_store(&y, 1); }",
        "while (atomic_fetch_add(&x, 1)) { atomic_fetch_sub(&x, 1); plain = 1; }",
        "while (atomic_fetch_add(&x, 1)) { atomic_fetch_sub(&x, 1); use(1); }",
        "while (atomic_fetch_add(&x, 1)) { if (!atomic_load(&y)) atomic_fetch_sub(&x, 1); }",
        // What it reads could be a race, or nowhere.
        "while (atomic_fetch_add(&x, 1)) { atomic_fetch_sub(&x, 1); while (plain); }",
        "while (atomic_fetch_add(&x, 1)) { atomic_fetch_sub(&x, 1); while (atomic_load(p)); }",
        // These do not add up.
        "while (atomic_fetch_or(&x, 1)) atomic_fetch_and(&x, -2);",
        "while (atomic_exchange(&x, 1)) atomic_exchange(&x, 0);",
    ] {
        let marks = marks(&format!("void f(void) {{ {body} }}"));
        assert!(!marks.is_empty() && marks.iter().all(|net| *net == Net::Lasting), "{body}: {marks:?}");
    }
}
