//! Which loops wait, and which are loops like others.

use crate::support;

use selvedge_ir::Instr;
use selvedge_llvm::Options;
use selvedge_machine::Reductions;
use support::{c, compile_files, count, function, listing};

const HEAD: &str = "#include <stdatomic.h>\n#include <stdbool.h>\nint sched_yield(void); int rand(void);
    atomic_int x, y; int plain; atomic_int flags[4];\n";

/// How many back edges of `f` wait, and how many do not.
fn back_edges(body: &str) -> (usize, usize) {
    let module = c(&format!("{HEAD}{body}"));
    let f = function(&module, "f");
    let waiting = count(f, |i| matches!(i, Instr::SpinBlock { .. }));
    let looping = count(f, |i| matches!(i, Instr::LoopBack { .. }));
    println!("{}", listing(f));
    (waiting, looping)
}

#[test]
fn waiting_for_a_flag() {
    assert_eq!(back_edges("void f(void) { while (!atomic_load(&x)); }"), (1, 0));
    assert_eq!(back_edges("void f(void) { do {} while (atomic_load(&x) != 3); }"), (1, 0));
    assert_eq!(back_edges("int f(void) { int r; while ((r = atomic_load(&x)) == 0); return r; }"), (1, 0));
    assert_eq!(
        back_edges("void f(void) { while (1) { if (atomic_load(&x)) break; sched_yield(); } }"),
        (1, 0)
    );
    assert_eq!(back_edges("void f(void) { while (!atomic_load(&x)) __asm__ volatile(\"pause\"); }"), (1, 0));
    assert_eq!(back_edges("void f(int i) { while (!atomic_load(&flags[i])); }"), (1, 0));
    assert_eq!(back_edges("void f(void) { while (atomic_load(&x) && atomic_load(&y) == 1) ; }"), (1, 0));
    assert_eq!(
        back_edges(
            "void f(void) { while (!atomic_load_explicit(&x, memory_order_relaxed)) atomic_thread_fence(memory_order_acquire); }"
        ),
        (1, 0)
    );
}

/// What a loop counts its rounds with may be lent to a function that does nothing else with it.
#[test]
fn counters_that_are_lent() {
    let waits =
        |function: &str, body: &str| back_edges(&format!("static {function} void f(void) {{ {body} }}"));
    let delay = "unsigned d = 1; while (!atomic_load(&x)) g(&d);";
    assert_eq!(
        // The loop in it is there still.
        waits("void g(unsigned *d) { for (unsigned i = 0; i < *d; i++); *d <<= *d < 64; }", delay),
        (1, 1)
    );
    assert_eq!(waits("void g(unsigned *d) { if (++*d >= 10) { sched_yield(); *d = 0; } }", delay), (1, 0));
    // Shifting too far is an error.
    assert_eq!(waits("void g(unsigned *d) { *d = 1u << *d; }", delay), (0, 1));
    // Others see it.
    assert_eq!(waits("void g(unsigned *d) { plain = ++*d; }", delay), (0, 1));
    assert_eq!(waits("void g(unsigned *d) { *d = atomic_fetch_add(&y, 1); }", delay), (0, 1));
    // It says how long it took.
    let told = "unsigned d = 1; while (!atomic_load(&x)) g(&d); plain = d;";
    assert_eq!(waits("void g(unsigned *d) { ++*d; }", told), (0, 1));
}

#[test]
fn compare_and_exchange_that_must_succeed() {
    assert_eq!(
        back_edges("void f(void) { int e = 0; while (!atomic_compare_exchange_strong(&x, &e, 1)) e = 0; }"),
        (1, 0)
    );
    assert_eq!(
        back_edges("void f(void) { int e; do { e = 0; } while (!atomic_compare_exchange_weak(&x, &e, 1)); }"),
        (1, 0)
    );
    assert_eq!(
        back_edges(
            "void f(void) { for (;;) { int e = 0; if (atomic_compare_exchange_strong(&x, &e, 1)) return; } }"
        ),
        (1, 0)
    );
    // What it expects changes from one round to the next.
    assert_eq!(
        back_edges("void f(void) { int e = 0; while (!atomic_compare_exchange_strong(&x, &e, 1)); }"),
        (0, 1)
    );
    // A new value is read every time, but the one that succeeds may also go round.
    assert_eq!(
        back_edges(
            "void f(int n) { int e; do { e = 0; } while (atomic_compare_exchange_strong(&x, &e, 1)); }"
        ),
        (0, 1)
    );
    assert_eq!(
        back_edges(
            "void f(int n) { int e; do { e = 0; atomic_compare_exchange_strong(&x, &e, 1); } while (!atomic_load(&y)); }"
        ),
        (0, 1)
    );
}

#[test]
fn pointers_are_waited_for_as_numbers_are() {
    const LIST: &str = "struct node { _Atomic(struct node *) next; } ; _Atomic(struct node *) tail;";
    assert_eq!(
        back_edges(&format!(
            "{LIST} struct node *f(struct node *me) {{ struct node *after; while ((after = atomic_load(&me->next)) == 0); return after; }}"
        )),
        (1, 0)
    );
    assert_eq!(
        back_edges(&format!(
            "{LIST} void f(struct node *me) {{ struct node *none; do {{ none = 0; }} while (!atomic_compare_exchange_weak(&tail, &none, me)); }}"
        )),
        (1, 0)
    );
}

#[test]
fn functions_that_try() {
    const TRY: &str = "bool try(void) { int e = 0; return atomic_compare_exchange_strong(&x, &e, 1); }
        bool fails(void) { int e = 0; return !atomic_compare_exchange_strong(&x, &e, 1); }
        int either(void) { int e = 0; if (atomic_load(&x) == 2) return 7; return atomic_compare_exchange_strong(&x, &e, 1) ? 7 : 3; }
        void silent(void) { int e = 0; atomic_compare_exchange_strong(&x, &e, 1); }
        bool twice(void) { silent(); return try(); }";
    let with = |body: &str| back_edges(&format!("{TRY} {body}"));
    assert_eq!(with("void f(void) { while (!try()); }"), (1, 0));
    assert_eq!(with("void f(void) { while (fails()) sched_yield(); }"), (1, 0));
    assert_eq!(with("void f(void) { while (either() != 7); }"), (1, 0));
    assert_eq!(with("void f(void) { while (either() != 3); }"), (0, 1));
    assert_eq!(with("void f(void) { while (try()); }"), (0, 1));
    assert_eq!(with("void f(void) { do silent(); while (!atomic_load(&y)); }"), (0, 1));
    assert_eq!(with("void f(void) { while (!twice()); }"), (0, 1));
}

#[test]
fn functions_that_only_read_may_be_called() {
    assert_eq!(
        back_edges(
            "static bool set(atomic_int *p) { return atomic_load(p) != 0; } void f(void) { while (!set(&x)); }"
        ),
        (1, 0)
    );
    assert_eq!(
        back_edges("bool g(void) { plain = 1; return atomic_load(&x); } void f(void) { while (!g()); }"),
        (0, 1)
    );
    assert_eq!(back_edges("void f(void) { while (!atomic_load(&x)) rand(); }"), (0, 1));
    assert_eq!(
        back_edges(
            "bool g(int n) { return n ? g(n - 1) : atomic_load(&x); } void f(void) { while (!g(3)); }"
        ),
        (0, 1)
    );
}

#[test]
fn loops_with_effects() {
    assert_eq!(back_edges("void f(void) { while (!atomic_load(&x)) plain = 1; }"), (0, 1));
    assert_eq!(back_edges("void f(void) { do {} while (atomic_exchange(&x, 1)); }"), (0, 1));
    assert_eq!(back_edges("void f(void) { while (!atomic_load(&x)) atomic_fetch_add(&y, 1); }"), (0, 1));
    assert_eq!(back_edges("int f(void) { int n = 0; while (!atomic_load(&x)) n++; return n; }"), (0, 1));
    assert_eq!(back_edges("int f(void) { int n = 3; while (!atomic_load(&x) && n--); return n; }"), (0, 1));
    assert_eq!(
        back_edges(
            "int f(void) { int last = 0; int v; while ((v = atomic_load(&x)) != last) last = v; return v; }"
        ),
        (0, 1)
    );
    assert_eq!(back_edges("void f(void) { while (1); }"), (0, 1), "nothing to wait for");
}

#[test]
fn loops_that_test_what_was_read_before() {
    assert_eq!(
        back_edges("int f(void) { int v = atomic_load(&x); while (v == 0) v = atomic_load(&x); return v; }"),
        (1, 0)
    );
    assert_eq!(
        back_edges(
            "void f(void) { int e = 0; bool ok = atomic_compare_exchange_strong(&x, &e, 1);
            while (!ok) { e = 0; ok = atomic_compare_exchange_strong(&x, &e, 1); } }"
        ),
        (1, 0)
    );
    // What was read before is also used after the test.
    assert_eq!(
        back_edges(
            "int f(void) { int v = atomic_load(&x), sum = 0; while (v == 0) { sum += v; v = atomic_load(&x); } return sum; }"
        ),
        (0, 1)
    );
    assert_eq!(
        back_edges(
            "int f(void) { int old = 0, v = atomic_load(&x); while (v == 0) { old = v; v = atomic_load(&y) + old; } return old; }"
        ),
        (0, 1)
    );
    assert_eq!(
        back_edges(
            "int f(int n) { int v = atomic_load(&x); while (n > 0) { n = n - 1; v = atomic_load(&x); } return v; }"
        ),
        (0, 1)
    );
}

#[test]
fn nested_loops() {
    // A lock that tests before it exchanges: only the inner loop has no effect.
    assert_eq!(
        back_edges("void f(void) { do { while (atomic_load(&x)); } while (atomic_exchange(&x, 1)); }"),
        (1, 1)
    );
    // Looks at all flags until none is set: the counter is set anew in every round of the outer loop.
    assert_eq!(
        back_edges(
            "void f(void) { again: for (int i = 0; i < 4; i++) if (atomic_load(&flags[i])) goto again; }"
        ),
        (1, 1)
    );
}

#[test]
fn waiting_can_be_switched_off() {
    let options = Options { reductions: Reductions::NONE, ..Options::default() };
    let source = format!("{HEAD}void f(void) {{ while (!atomic_load(&x)); }}");
    let module = compile_files(&[("test.c", &source)], &options).expect("compiles");
    assert_eq!(count(function(&module, "f"), |i| matches!(i, Instr::LoopBack { number: 0 })), 1);
}
