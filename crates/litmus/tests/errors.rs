//! What is refused, and how it is said.

use crate::support;

use selvedge_litmus::{Options, parse};
use support::error;

/// A thread body in a test that is otherwise fine.
fn body(text: &str) -> String {
    error(&format!("C t\n{{ int a[2]; }}\nP0 (atomic_int* x, int* a) {{\n{text}\n}}\nexists (x=1)\n"))
}

#[test]
fn errors_name_the_place_and_the_reason() {
    let shown = body("  ok = 1;");
    assert_eq!(
        shown,
        "error: `ok` is not declared
  --> t.litmus:4:3
   |
 4 |   ok = 1;
   |   ^^
  help: declare the register with `int ok;`, or the location as a parameter"
    );
}

#[test]
fn statements_that_are_refused() {
    for (text, reason) in [
        ("int r = x;", "`x` is a pointer, not a value"),
        ("x = 1;", "`x` is a pointer and stays one"),
        ("int r = *q;", "`q` does not point to a shared location"),
        ("int x;", "would hide the location"),
        ("int r; int r;", "declared twice"),
        ("{ int r; } r = 1;", "`r` is not declared"),
        ("int *p;", "local pointers are not supported"),
        ("int r[2];", "local arrays are not supported"),
        ("int r = &x;", "addresses as values"),
        ("foo r;", "`foo` is not a type"),
        ("rcu_read_lock();", "begins or ends inside of this block only"),
        ("rcu_read_unlock();", "no section of RCU that ends here"),
        ("rcu_read_lock(); L: ; rcu_read_unlock();", "jumps inside of a section of RCU"),
        ("if (1) { rcu_read_lock(); } rcu_read_unlock();", "to begin and to end in the same block"),
        ("int r = srcu_read_lock(x);", "function `srcu_read_lock` is not supported"),
        ("read_lock(x);", "the model `lkmm` has spin_lock, spin_unlock"),
        ("frob(x);", "function `frob` is not supported"),
        ("atomic_store_explicit(x, 1, memory_order_acquire);", "a store cannot be acquire"),
        ("int r = atomic_load_explicit(x, memory_order_release);", "a load cannot be release"),
        ("int r = atomic_load_explicit(x, relaxed);", "`relaxed` is not a memory order"),
        ("atomic_store(x);", "takes 2 arguments, not 1"),
        ("int r = atomic_store(x, 1);", "gives no value"),
        ("goto nowhere;", "no label is called `nowhere`"),
        ("L: ; L: ;", "label `L` stands twice"),
        ("break;", "not inside of a loop"),
        ("int r = 1, 2;", "a register to declare"),
        ("*x = 1", "expected `;`, found `}`"),
        ("if (1 { }", "expected `)`"),
        ("spawn(P0);", "runs from the start"),
        ("spawn(P7);", "no thread is called `P7`"),
        ("switch (1) { }", "`switch` is not supported"),
        ("int r = 08;", "starts with 0"),
        ("int r = 'a';", "unexpected character"),
        ("assert(1, 2);", "its message"),
        ("/* open", "this comment has no end"),
    ] {
        let shown = body(text);
        assert!(shown.contains(reason), "{text}:\n{shown}");
        assert!(shown.contains("t.litmus:") && shown.contains('^'), "{shown}");
    }
}

#[test]
fn files_that_are_refused() {
    for (text, reason) in [
        ("", "starts with its architecture"),
        ("C\n{}", "has no name"),
        ("MIPS MP\n{}", "MIPS litmus tests are not supported"),
        ("C t\nP0 () {}", "expected the initial state"),
        ("C t {", "no matching `}`"),
        ("C t {} ", "expected a thread"),
        ("C t {} P1 () {}", "expected thread P0, found `P1`"),
        ("C t {} P0 (int x) {}", "parameter `x` is not a pointer"),
        ("C t {} P0 () {", "no matching `}`"),
        ("C t { x=1; x=2; } P0 () {}", "`x` is initialised twice"),
        ("C t { int* p = &x; } P0 () {}", "addresses as values"),
        ("C t { int a[100000]; } P0 () {}", "1 to 4096 elements"),
        ("C t { int a[1] = {1, 2}; } P0 () {}", "only 1 elements"),
        ("C t { 3:r=1; } P0 () {}", "thread 3 has no register `r`"),
        ("C t {} P0 (int* x) {} exists (0:r0=1)", "thread 0 has no register `r0`"),
        ("C t {} P0 (int* x) {} exists (7:r0=1)", "thread 7 has no register `r0`"),
        ("C t {} P0 (int* x) {} exists (y=1)", "no location is called `y`"),
        ("C t {} P0 (int* x) {} exists (x=y)", "addresses as values"),
        ("C t { int a[2]; } P0 () {} exists (a=1)", "`a` is an array"),
        ("C t { int a[2]; } P0 () {} exists (a[2]=1)", "has 2 elements"),
        ("C t {} P0 (int* x) {} exists (x=1) foo", "expected the end of the test"),
        ("C t {} P0 (int* x) {} exists (x=1", "expected `)`, found the end of the file"),
        ("C t {} P0 () { while (1) spawn(P1); } spawned P1 () {}", "P1 is spawned in a loop"),
        ("C t {} P0 () { spawn(P1); } P1 () {}", "P1 runs from the start"),
        ("C t {} P0 () { spawn(P1); spawn(P1); } spawned P1 () {}", "spawned a second time"),
        ("C t\n(* expect sc: Perhaps *)\n{} P0 () {}", "this expectation cannot be read"),
    ] {
        let shown = error(text);
        assert!(shown.contains(reason), "{text}:\n{shown}");
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    let n = 100_000;
    for text in [
        "(".repeat(n),
        "{".repeat(n),
        "-".repeat(n),
        "!".repeat(n),
        "if (1) ".repeat(n),
        "while (1) ".repeat(n),
        "int r = 1".to_string() + &"+1".repeat(n) + ";",
        "int r = 1".to_string() + &"?1:1".repeat(n) + ";",
        "int r; r".to_string() + &"= r".repeat(n) + ";",
        "int r = a".to_string() + &"[0]".repeat(n) + ";",
        "int r = ".to_string() + &"total_div(".repeat(n),
    ] {
        let shown = body(&text);
        assert!(shown.contains("nested") || shown.contains("pointer"), "{shown}");
    }
    for cond in ["(".repeat(n), "~".repeat(n), "x=1 => ".repeat(n)] {
        let shown = error(&format!("C t {{}} P0 (int* x) {{}} exists {cond}"));
        assert!(shown.contains("nested"), "{shown}");
    }
}

#[test]
fn long_lines_take_linear_time() {
    let n = 10_000_000;
    // Quadratic time would be hours.
    for text in [
        "a".repeat(n),
        format!("C t {{}} P0 (int* x) {{ {} }}", ";".repeat(n)),
        format!("C t {{}} P0 (int* x) {{ int {} }}", "r".repeat(n)),
        format!("C t {{}} P0 (int* x) {{ int r = {}", "9".repeat(n)),
        format!("C t {{}} P0 (int* x) {{}} exists ({}", "(*x=1 /\\ ".repeat(n / 9)),
        format!("C t {{}} P0 (int* x) {{}} exists {}", "x=1 /\\ ".repeat(n / 7)),
        format!("C t {{ {}", "(*".repeat(n / 2)),
        format!("C t {{}} P0 (int* x) {{ int r; {} ", "assert(r == 0);".repeat(n / 15)),
        format!("C t {{}} P0 (int* x) {{ {} }} exists (x=2", "*x = 1; ".repeat(n / 8)),
        format!("C t {{}} P0 ({}int* y) {{", "int* x, ".repeat(n / 8)),
        format!("C t \"{}", "\\".repeat(n)),
    ] {
        let result = parse("t", &text, &Options::default());
        if let Err(d) = result {
            assert!(d.to_string().len() < 2000);
        }
    }
}
