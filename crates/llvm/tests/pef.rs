//! Which loops are watched for iterations without effect, and which of their writes nobody sees.

use crate::support;

use selvedge_ir::text;
use selvedge_ir::{Instr, OwnCell};
use selvedge_machine::Reductions;
use support::{c, function, text_of};

const HEAD: &str = "#include <stdatomic.h>\n#include <stdbool.h>\n#include <stdlib.h>
    atomic_int x, y; int plain; void use(void *); int look(void);
    struct node { int value; struct node *next; };
    static _Atomic(struct node *) top; struct node *kept; struct node pool[4];\n";

/// For each watched loop of `f`, how many registers are compared and which cells are rewritten.
fn heads(body: &str) -> Vec<(usize, Vec<(i64, u8)>)> {
    let module = c(&format!("{HEAD}{body}"));
    let f = function(&module, "f");
    println!("{}", text::print(&module));
    let head = |instr: &Instr| match instr {
        Instr::LoopHead { live, rewritten, .. } => {
            let cells = rewritten.iter().map(|c: &OwnCell| (c.offset, c.bytes)).collect();
            Some((live.len(), cells))
        }
        _ => None,
    };
    f.code.iter().filter_map(head).collect()
}

const RETRY: &str = "#include <stdatomic.h>\natomic_int x, y;
    void f(void) {
        for (;;) {
            int a = atomic_load(&x), b = atomic_load(&y);
            if (a == b) return;
            __atomic_compare_exchange_n((int *)&y, &b, a, 0, 5, 5);
        }
    }";

#[test]
fn loops_that_may_wait_have_a_head() {
    // A compare-and-exchange that may succeed and go round: whether it did is known when it is run. Without
    // the reduction, that is asked at the loop's bound.
    for reductions in [Reductions::NONE, Reductions::ALL] {
        assert_eq!(
            text_of(RETRY, reductions),
            "func &f() results 0 regs 7 {
    loop L0
L0:   loophead 0 () ()
      r1 = load.4.sc @x
      r2 = load.4.sc @y
      r3 = cmp.eq.32 r1, r2
      branch r3, L10, L5
L5:   r4 = cmpxchg.4.sc.sc @y, r2, r1
      branch r5, L7, L7
L7:   r6 = cast.trunc.8.1 r5
      loopback 0
      jump L0
L10:  return ()
}
"
        );
    }
}

#[test]
fn which_loops_are_watched() {
    // Loops that always wait have no back edge to watch, loops that do not read nothing to wait for.
    assert_eq!(heads("void f(void) { while (!atomic_load(&x)); }"), []);
    assert_eq!(heads("void f(void) { while (1) plain = 1; }"), []);
    // Counting is an effect that shows; the sum shows as well, so these are no attempts.
    assert_eq!(
        heads("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += atomic_load(&x); return s; }"),
        [(2, vec![])]
    );
    assert_eq!(heads("int f(char *p) { int n = 0; while (*p++) n++; return n; }"), []);
    // One of two registers that the loop changes matters to the next iteration.
    assert_eq!(
        heads(
            "int f(void) { int last = 0; for (;;) { int v = atomic_load(&x); if (v == 3) return last;
            if (atomic_load(&y)) last = v; } }"
        ),
        [(1, vec![])]
    );
    // The inner loop waits, the outer one is watched.
    assert_eq!(
        heads("void f(void) { do { while (atomic_load(&x)); } while (atomic_exchange(&x, 1)); }"),
        [(0, vec![])]
    );
    assert_eq!(heads("void f(void) { while (!look()); }"), [(0, vec![])]);
}

/// A push, with `before` before its loop and `first` and `last` in it.
fn push(before: &str, first: &str, last: &str) -> Vec<(usize, Vec<(i64, u8)>)> {
    heads(&format!(
        "void f(int value) {{
            struct node *node = malloc(sizeof *node), *old;
            {before}
            do {{ {first} old = atomic_load(&top); {last} }} while (!atomic_compare_exchange_strong(&top, &old, node));
        }}"
    ))
}

#[test]
fn writes_that_nobody_sees() {
    let own = || vec![(0, vec![(8, 8)])];
    assert_eq!(push("node->value = value;", "", "node->next = old;"), own());
    assert_eq!(push("", "", "if (old == node) abort(); node->next = old;"), own());
    assert_eq!(push("", "", "node->value = value; node->next = old;"), [(0, vec![(0, 4), (8, 8)])]);
    assert_eq!(push("", "look();", "node->next = old; plain = node->value;"), own());
    assert_eq!(push("", "", "if (old) node->next = old; else node->next = 0;"), own());
    // A variable on the stack, whose address is given away in the end.
    assert_eq!(
        heads(
            "void f(void) { struct node node; struct node *old;
            do { old = atomic_load(&top); node.next = old; } while (!atomic_compare_exchange_strong(&top, &old, &node)); }"
        ),
        own()
    );
    // An allocator of the program's own.
    const MAKE: &str = "static struct node *make(int value) { struct node *node = malloc(sizeof *node);
        if (!node) return 0; node->value = value; return node; }
        static struct node *make_two(void) { return make(2); }
        static struct node *remember(void) { kept = malloc(sizeof *kept); return kept; }
        static struct node *either(struct node *p) { return p ? p : make(1); }";
    let with = |make: &str| {
        heads(&format!(
            "{MAKE} void f(struct node *p) {{ struct node *node = {make}, *old;
            do {{ old = atomic_load(&top); node->next = old; }} while (!atomic_compare_exchange_strong(&top, &old, node)); }}"
        ))
    };
    assert_eq!(with("make(1)"), own());
    assert_eq!(with("make_two()"), own());
    assert_eq!(with("remember()"), [(0, vec![])]);
    assert_eq!(with("either(p)"), [(0, vec![])]);
    assert_eq!(with("p"), [(0, vec![])]);
    assert_eq!(with("&pool[1]"), [(0, vec![])]);
}

#[test]
fn writes_that_somebody_may_see() {
    let none = || vec![(0, vec![])];
    // Others know the object already, or get to know it in the loop.
    assert_eq!(push("kept = node;", "", "node->next = old;"), none());
    assert_eq!(push("use(node);", "", "node->next = old;"), none());
    assert_eq!(push("", "", "node->next = old; use(node);"), none());
    assert_eq!(push("", "", "node->next = old; if (value) kept = node;"), none());
    assert_eq!(push("node->next = node;", "", "node->next = old;"), none());
    // It is read before it is written anew.
    assert_eq!(push("node->next = 0;", "if (node->next) plain = 1;", "node->next = old;"), none());
    assert_eq!(push("", "", "if (old) node->next = old;"), none());
    assert_eq!(push("", "if (atomic_load(&x)) return;", "node->next = old;"), none());
    assert_eq!(push("", "if (atomic_load(&x)) continue;", "node->next = old;"), [(1, vec![])]);
    assert_eq!(push("int i = atomic_load(&y);", "plain = (&node->value)[i];", "node->next = old;"), none());
    // Success does not end the loop.
    assert_eq!(
        heads(
            "void f(void) { struct node *node = malloc(sizeof *node), *old;
            do { old = atomic_load(&top); node->next = old; atomic_compare_exchange_strong(&top, &old, node); } while (atomic_load(&x)); }"
        ),
        none()
    );
    // The same object is pushed in every round of an outer loop; the second time, it is known.
    assert_eq!(
        heads(
            "void f(void) { struct node *node = malloc(sizeof *node), *old;
            do { do { old = atomic_load(&top); node->next = old; } while (!atomic_compare_exchange_strong(&top, &old, node)); }
            while (atomic_load(&x)); }"
        ),
        [(0, vec![]), (0, vec![])]
    );
    // A new one every time is fine.
    assert_eq!(
        heads(
            "void f(void) { struct node *node, *old; do { node = malloc(sizeof *node);
            do { old = atomic_load(&top); node->next = old; } while (!atomic_compare_exchange_strong(&top, &old, node)); }
            while (atomic_load(&x)); }"
        ),
        [(0, vec![]), (0, vec![(8, 8)])]
    );
}
