//! What tests mean.

use crate::support;

use selvedge_graph::{Loc, Mode, Tid};
use selvedge_litmus::{Histogram, Observable, Observation, Options, Quantifier, Verdict, parse};
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use support::{Ended, one, reg_after, run, test};

const SB: &str = r#"C SB+rlx
"Store buffering"
Com=Fr Fr
(* each thread may (* and does *) miss the other's write *)
(* expect rc11: Sometimes *)
(* expect sc: Never *)
{ [x]=0; int y = 0; }

P0 (atomic_int* x, atomic_int *y) {
  atomic_store_explicit(x, 1, memory_order_relaxed); // a comment
  int r0 = atomic_load_explicit(y, memory_order_relaxed);
}

P1 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(y, 1, memory_order_relaxed);
  int r0 = atomic_load_explicit(x, memory_order_relaxed);
}

locations [x; 0:r0;]
exists (0:r0=0 /\ 1:r0=0)
"#;

#[test]
fn store_buffering_compiles_to_one_instruction_per_access() {
    let sb = test(SB);
    assert_eq!(sb.name, "SB+rlx");
    assert_eq!(sb.quantifier, Quantifier::Exists);
    assert_eq!(sb.condition_text, r"exists (0:r0=0 /\ 1:r0=0)");
    assert_eq!(sb.observed.iter().map(|o| o.to_string()).collect::<Vec<_>>(), ["0:r0", "1:r0", "[x]"]);
    assert_eq!(sb.program.locs, [("x".to_string(), 0), ("y".to_string(), 0)]);
    assert_eq!(
        sb.program.threads[0].code,
        [
            Instr::Store { addr: Addr::Loc(Loc(0)), value: Expr::Const(1), mode: Mode::Rlx },
            Instr::Load { dst: Reg(0), addr: Addr::Loc(Loc(1)), mode: Mode::Rlx },
        ]
    );
    let claims: Vec<_> = sb.expectations.iter().map(|e| (e.model.as_str(), e.observation, e.line)).collect();
    assert_eq!(claims, [("rc11", Observation::Sometimes, 5), ("sc", Observation::Never, 6)]);
    assert!(sb.notes.is_empty());
}

#[test]
fn histograms_read_like_herd() {
    let sb = test(SB);
    let mut histogram = Histogram::new();
    for state in [[0, 0, 1], [0, 1, 1], [0, 1, 1], [1, 0, 1]] {
        histogram.add(&sb, &|o| sb.observed.iter().position(|x| x == o).map_or(0, |i| state[i]));
    }
    assert_eq!(histogram.observation(true), Observation::Sometimes);
    assert_eq!(histogram.verdict(Quantifier::Exists, true), Verdict::Ok);
    assert_eq!(histogram.verdict(Quantifier::NotExists, true), Verdict::No);
    assert_eq!(histogram.verdict(Quantifier::Forall, true), Verdict::No);
    assert_eq!(
        histogram.report(&sb, true, 0.0),
        r"Test SB+rlx Allowed
States 3
1     *>0:r0=0; 1:r0=0; [x]=1;
2     :>0:r0=0; 1:r0=1; [x]=1;
1     :>0:r0=1; 1:r0=0; [x]=1;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (0:r0=0 /\ 1:r0=0)
Observation SB+rlx Sometimes 1 3
Time SB+rlx 0.00
"
    );
}

#[test]
fn orderings_and_read_modify_writes() {
    let t = one("int e = 3; int r;
        r = atomic_exchange_explicit(x, 1, memory_order_acq_rel);
        r = atomic_fetch_xor(y, e + 1);
        r = atomic_compare_exchange_weak_explicit(y, &e, 7, memory_order_release, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        *x = *y;");
    let code = &t.program.threads[0].code;
    let (e, r) = (Reg(0), Reg(1));
    let (x, y) = (|| Addr::Loc(Loc(3)), || Addr::Loc(Loc(4)));
    assert_eq!(
        code[1],
        Instr::Rmw { dst: r, addr: x(), op: RmwOp::Exchange, operand: Expr::Const(1), mode: Mode::AcqRel }
    );
    assert!(matches!(&code[2], Instr::Rmw { op: RmwOp::Xor, mode: Mode::Sc, .. }));
    assert_eq!(
        code[3],
        Instr::Cas {
            ok: r,
            old: e,
            addr: y(),
            expected: Expr::Reg(e),
            desired: Expr::Const(7),
            success: Mode::Rel,
            failure: Mode::Rlx,
            weak: true
        }
    );
    assert_eq!(code[4], Instr::Fence { mode: Mode::Acq });
    assert!(matches!(&code[5], Instr::Load { mode: Mode::Na, .. }));
    assert!(matches!(&code[6], Instr::Store { mode: Mode::Na, .. }));
    assert_eq!(t.notes.len(), 1, "`*y` on an atomic is noted: {:?}", t.notes);
}

#[test]
fn compare_exchange_updates_what_it_expected() {
    let body = |e: i64| {
        format!("*x = 5; int e = {e}; int r = atomic_compare_exchange_strong(x, &e, 9); int v = *x;")
    };
    for (e, r, after, v) in [(5, 1, 5, 9), (4, 0, 5, 5)] {
        assert_eq!(reg_after(&body(e), "r"), r);
        assert_eq!(reg_after(&body(e), "e"), after);
        assert_eq!(reg_after(&body(e), "v"), v);
    }
    // The expected value in shared memory is read and, on failure, written plainly.
    let shared = "*x = 4; atomic_store(y, 5); int r = atomic_compare_exchange_strong(y, x, 9); int v = *x;";
    assert_eq!(reg_after(shared, "r"), 0);
    assert_eq!(reg_after(shared, "v"), 5);
}

#[test]
fn expressions_compute_as_in_c() {
    for (text, value) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("1 << 2 + 1", 8),
        ("7 & 3 == 3", 1),
        ("6 ^ 3 | 8", 13),
        ("!0 + ~0", 0),
        ("- 3 % 2", -1),
        ("0x1F", 31),
        ("1 ? 2 : 3", 2),
        ("0 ? 2 : 0 ? 4 : 5", 5),
        ("(int) 3 + (unsigned long) 4", 7),
        ("0 && *x", 0),
        ("1 || 1 / 0", 1),
        ("2 && 3", 1),
        ("a[1] + a[2]", 50),
        ("*(a + 1)", 20),
        ("total_div(1, 0)", 0),
        ("-9223372036854775808", i64::MIN),
        ("(r = 4) + 1", 5),
    ] {
        assert_eq!(reg_after(&format!("int r; int v = {text};"), "v"), value, "{text}");
    }
}

#[test]
fn what_c_skips_is_not_accessed() {
    let loads = |body: &str| {
        let run = run(&one(body).program, |_| 0);
        run.trace.iter().filter(|(_, op, _)| matches!(op, selvedge_machine::Op::Load { .. })).count()
    };
    assert_eq!(loads("int r = 0 && *x;"), 0);
    assert_eq!(loads("int r = *x || *y;"), 2);
    assert_eq!(loads("int r = *x && *y;"), 1);
    assert_eq!(loads("int r = 1 ? 3 : *x;"), 0);
}

#[test]
fn control_flow() {
    for (body, value) in [
        ("int v = 0; if (1) v = 2; else v = 3;", 2),
        ("int v = 0; if (0) { v = 2; } else if (1) { v = 4; }", 4),
        ("int v = 0; while (v < 5) v++;", 5),
        ("int v = 0; do { v += 2; } while (v < 5);", 6),
        ("int v = 0; for (int i = 0; i < 4; i++) { if (i == 2) continue; v += i; }", 4),
        ("int v = 0; for (;;) { if (v == 3) break; ++v; }", 3),
        ("int v = 1; goto end; v = 2; end: ;", 1),
        ("int v = 0; again: v++; if (v < 4) goto again;", 4),
        ("int v = 1; if (v) return; v = 2;", 1),
        ("int v = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 5; j++) v++;", 15),
        ("int v = 0; { int t = 4; v = t; } { int t = 6; v += t; }", 10),
        ("int v; *x = 3; while ((v = *x) != 1) *x -= 1;", 1),
    ] {
        assert_eq!(reg_after(body, "v"), value, "{body}");
    }
}

#[test]
fn loops_are_cut_at_their_bound() {
    let iterations = |body: &str, unroll| {
        let text = format!("C t {{}} P0 (int* x) {{ {body} }}");
        let test = parse("t", &text, &Options { unroll }).unwrap_or_else(|d| panic!("{d}"));
        let run = run(&test.program, |_| 0);
        (run.memory[0], run.ended)
    };
    for body in [
        "while (1) { *x += 1; }",
        "do { *x += 1; } while (1);",
        "for (;;) *x += 1;",
        "again: *x += 1; goto again;",
    ] {
        let (count, ended) = iterations(body, 5);
        assert_eq!(ended, Ended::Cut, "{body}");
        // A label is passed once before its first `goto`.
        assert_eq!(count, if body.starts_with("again") { 6 } else { 5 }, "{body}");
    }
    assert_eq!(iterations("int i; for (i = 0; i < 5; i++) *x += 1;", 5), (5, Ended::Done));
    assert_eq!(iterations("while (*x < 6) *x += 1;", 5), (5, Ended::Cut));
    // The bound is not for loops that no read has a say in.
    assert_eq!(iterations("int i; for (i = 0; i < 6; i++) *x += 1;", 5), (6, Ended::Done));
}

#[test]
fn assertions_and_assumptions() {
    let ended = |body: &str| run(&one(body).program, |_| 0).ended;
    assert_eq!(ended("assume(*x == 1);"), Ended::Blocked);
    assert_eq!(ended("__VERIFIER_assume(*x == 0);"), Ended::Done);
    let failed = ended("int r = *x;\nassert(r == 1);");
    assert_eq!(failed, Ended::Failed("assertion `r == 1` fails at line 4".into()));
    assert!(matches!(ended("int r = 1 / *x;"), Ended::Failed(m) if m.contains("division by zero")));
    assert!(matches!(ended("int i = 3; a[i] = 1;"), Ended::Failed(m) if m.contains("outside")));
}

#[test]
fn kernel_names_are_read_as_c11_and_noted() {
    let t = one("int r = READ_ONCE(*x); WRITE_ONCE(*y, 1); smp_mb(); smp_rmb(); smp_wmb();
        r = smp_load_acquire(x); smp_store_release(y, r); r = xchg_release(x, 2); r = cmpxchg(x, 2, 3);
        r = atomic_add_return(4, x); atomic_inc(x); r = atomic_fetch_add(1, y);");
    assert_eq!(t.notes.len(), 1);
    assert!(t.notes[0].starts_with("functions of the Linux kernel are read as their C11 counterparts"));
    assert_eq!(t.default_model(), "lkmm");
    let modes: Vec<Mode> = t.program.threads[0]
        .code
        .iter()
        .filter_map(|i| match i {
            Instr::Load { mode, .. } | Instr::Store { mode, .. } | Instr::Fence { mode } => Some(*mode),
            Instr::Rmw { mode, .. } | Instr::Cas { success: mode, .. } => Some(*mode),
            _ => None,
        })
        .collect();
    use Mode::*;
    assert_eq!(modes, [Rlx, Rlx, Sc, Acq, Rel, Acq, Rel, Rel, Sc, Sc, RlxEx, Sc]);
    assert_eq!(reg_after("*x = 2; int r = atomic_add_return(4, x);", "r"), 6);
    assert_eq!(reg_after("*x = 2; int r = cmpxchg(x, 2, 7); r += *x;", "r"), 9);
}

#[test]
fn conditions() {
    let t = test(
        "C t { 0:r1 = 5; int a[2]; x = -1; } P0 (int* x, int* a) { int r0 = r1; }
         filter (0:r1=5)
         ~exists (not (0:r0 != 0x5 \\/ [x]=-1) /\\ true => ~a[1]=0 /\\ (*x == 2))",
    );
    assert_eq!(t.quantifier, Quantifier::NotExists);
    assert_eq!(t.condition_text, r"~exists (~(~(0:r0!=5 \/ [x]=-1) /\ true) \/ (~[a[1]]=0 /\ [x]=2))");
    assert!(t.filter.is_some() && t.observes_memory());
    assert_eq!(run(&t.program, |_| 0).regs[0][0], 5);
    let lookup = |o: &Observable| match o {
        Observable::Register { .. } => 4,
        Observable::Location { name, .. } => (name == "x") as i64,
    };
    assert!(t.condition.eval(&lookup));
}

#[test]
fn threads_can_be_spawned() {
    let t = test("C t {} P0 (int* x) { spawn(P1); join(P1); int r = *x; } spawned P1 (int* x) { *x = 1; }");
    assert!(t.program.threads[0].initial && !t.program.threads[1].initial);
    assert_eq!(
        t.program.threads[0].code[..2],
        [Instr::Spawn { thread: Tid(1) }, Instr::Join { thread: Tid(1) }]
    );
    assert_eq!(t.condition_text, "forall (true)");
}
