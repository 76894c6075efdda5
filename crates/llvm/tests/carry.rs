//! Which cells of objects that nobody knows yet are carried round loops in registers.

use crate::support;

use selvedge_machine::{Reduction, Reductions};

const HEAD: &str = "#include <stdatomic.h>\n#include <stdlib.h>
    struct node { struct node *next; int value; }; _Atomic(struct node *) top; struct node *known; int seen;\n";

fn text_of(body: &str, reductions: Reductions) -> String {
    support::text_of(&format!("{HEAD}{body}"), reductions)
}

fn only_carry() -> Reductions {
    let others = Reduction::ALL.into_iter().filter(|r| *r != Reduction::Carry);
    others.fold(Reductions::ALL, Reductions::without)
}

const PUSH: &str = "void f(void) { struct node *n = malloc(sizeof *n); n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n)); }";

#[test]
fn before_and_after() {
    assert_eq!(
        text_of(PUSH, Reductions::NONE),
        "func &f() results 0 regs 11 {
    loop L7
      r0 = move undef
      r1 = move undef
      r2 = call.1 &#1 (16)
      r3 = load.8.sc @top
      r0 = move r3
      r4 = move r0
      store.8.na r2, r4
L7:   loophead 0 () ()
      r1 = move r2
      r5 = load.8.na r2
      r6 = move r1
      r7 = cmpxchg.8.sc.sc @top, r5, r6
      branch r8, L14, L13
L13:  store.8.na r2, r7
L14:  r9 = cast.trunc.8.1 r8
      r10 = xor.1 r9, 1
      branch r10, L17, L19
L17:  loopback 0
      jump L7
L19:  return ()
}
"
    );
    assert_eq!(
        text_of(PUSH, only_carry()),
        "func &f() results 0 regs 12 {
    loop L7
      r0 = move undef
      r1 = move undef
      r2 = call.1 &#1 (16)
      r3 = load.8.sc @top
      r0 = move r3
      r4 = move r0
      r11 = move r4
L7:   loophead 0 (r11) ()
      store.8.na r2, r11
      r1 = move r2
      r5 = move r11
      r6 = move r1
      r7 = cmpxchg.8.sc.sc @top, r5, r6
      branch r8, L15, L14
L14:  r11 = move r7
L15:  r9 = cast.trunc.8.1 r8
      r10 = xor.1 r9, 1
      branch r10, L18, L20
L18:  loopback 0
      jump L7
L20:  return ()
}
"
    );
}

fn is_carried(body: &str) -> bool {
    text_of(body, Reductions::NONE) != text_of(body, only_carry())
}

#[test]
fn other_cells_do_not_matter() {
    assert!(is_carried(
        "void f(void) { struct node *n = malloc(sizeof *n); n->value = 3; n->next = atomic_load(&top);
         while (!atomic_compare_exchange_weak(&top, &n->next, n)) n->value++; }"
    ));
}

/// After the loop, it is read where it was written.
#[test]
fn what_comes_after_the_loop_does_not_matter() {
    assert!(is_carried(
        "void f(void) { struct node *n = malloc(sizeof *n); n->next = atomic_load(&top);
         for (;;) { if (atomic_compare_exchange_strong(&top, &n->next, n)) { seen = n->next != 0; return; } } }"
    ));
}

/// Whoever may see the object may see what is written to it, and when.
#[test]
fn objects_that_others_know_stay_as_they_are() {
    for body in [
        "void f(void) { struct node *n = malloc(sizeof *n); known = n; n->next = atomic_load(&top);
         while (!atomic_compare_exchange_strong(&top, &n->next, n)); }",
        "void f(struct node *n) { n->next = atomic_load(&top);
         while (!atomic_compare_exchange_strong(&top, &n->next, n)); }",
        "void g(struct node *); void f(void) { struct node *n = malloc(sizeof *n); n->next = atomic_load(&top);
         while (!atomic_compare_exchange_strong(&top, &n->next, n)) g(n); }",
        "void f(void) { struct node *n = malloc(sizeof *n); n->next = atomic_load(&top);
         for (int done = 0; !done;) {
             done = atomic_compare_exchange_strong(&top, &n->next, n);
             if (done) seen = n->next != 0; } }",
    ] {
        assert!(!is_carried(body), "{body}");
    }
}

/// What is in the cell when the loop is left must be what was written last.
#[test]
fn loops_that_may_be_left_after_a_write_stay_as_they_are() {
    assert!(!is_carried(
        "void f(void) { struct node *n = malloc(sizeof *n); n->next = atomic_load(&top); int tries = 3;
         while (!atomic_compare_exchange_strong(&top, &n->next, n)) if (--tries == 0) { known = n; return; } }"
    ));
    assert!(!is_carried(
        "void f(void) { struct node *n = malloc(sizeof *n);
         while (!atomic_compare_exchange_strong(&top, &n->next, n)); }"
    ));
}
