//! The oracle against what the literature says of small tests.
//!
//! Counts are of `rf` and `co` choices that a model admits. Each is small enough to be done by hand:
//! the argument stands with the test.

use selvedge_graph::{Mode, Mode::*};
use selvedge_kat::load_named;
use selvedge_machine::Program;
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use selvedge_oracle::{Canon, Detail, End, Judge, Limits, enumerate};
use std::collections::BTreeSet;

const MODELS: [&str; 6] = ["sc", "tso", "pso", "ra", "rc11", "rlx"];

/// A program over `x` and `y` from the code of its threads.
fn threads(codes: Vec<Vec<Instr>>) -> Program {
    let mut p = Program::new("test");
    p.loc("x", 0);
    p.loc("y", 0);
    for (t, code) in codes.into_iter().enumerate() {
        p.thread(format!("P{t}"), true, code);
    }
    p
}

const X: u32 = 0;
const Y: u32 = 1;

fn at(loc: u32) -> Addr {
    Addr::Loc(selvedge_graph::Loc(loc))
}

fn w(loc: u32, value: i64, mode: Mode) -> Instr {
    Instr::Store { addr: at(loc), value: Expr::Const(value), mode }
}

fn r(dst: u16, loc: u32, mode: Mode) -> Instr {
    Instr::Load { dst: Reg(dst), addr: at(loc), mode }
}

fn add(dst: u16, loc: u32, mode: Mode) -> Instr {
    Instr::Rmw { dst: Reg(dst), addr: at(loc), op: RmwOp::Add, operand: Expr::Const(1), mode }
}

fn cas(ok: u16, loc: u32, weak: bool) -> Instr {
    let (expected, desired) = (Expr::Const(0), Expr::Const(1));
    Instr::Cas {
        ok: Reg(ok),
        old: Reg(ok + 1),
        addr: at(loc),
        expected,
        desired,
        success: AcqRel,
        failure: Rlx,
        weak,
    }
}

fn eq(reg: u16, value: i64) -> Expr {
    Expr::bin(BinOp::Eq, Expr::Reg(Reg(reg)), Expr::Const(value))
}

fn fence(mode: Mode) -> Instr {
    Instr::Fence { mode }
}

fn judge(model: &str) -> Judge {
    Judge::new(&load_named(model).expect("a shipped model")).expect("a model within the oracle's means")
}

/// The ends of all executions, after checking that none is visited twice.
fn ends(model: &str, p: &Program, detail: Detail) -> Vec<End> {
    let mut found = BTreeSet::new();
    let mut ends = Vec::new();
    let tally = enumerate(p, &judge(model), detail, Limits::default(), &mut |x| {
        assert!(found.insert(Canon::from_execution(x, detail == Detail::Co)), "visited twice");
        ends.push(x.end());
    })
    .expect("small enough");
    assert_eq!(tally.consistent, ends.len() as u64);
    ends
}

fn count(model: &str, p: &Program) -> usize {
    ends(model, p, Detail::Co).len()
}

fn of(ends: &[End], end: End) -> usize {
    ends.iter().filter(|e| **e == end).count()
}

/// Checks the number of executions of `p` under each model, in the order of `MODELS`.
fn counts(p: &Program, expected: [usize; 6]) {
    for (model, expected) in MODELS.into_iter().zip(expected) {
        assert_eq!(count(model, p), expected, "{model}");
    }
}

fn store_buffering(mode: Mode, between: Option<Mode>) -> Program {
    let thread = |mine, other| {
        let mut code = vec![w(mine, 1, mode), r(0, other, mode)];
        code.splice(1..1, between.map(fence));
        code
    };
    threads(vec![thread(X, Y), thread(Y, X)])
}

#[test]
fn store_buffering_is_the_mark_of_sc() {
    // Four choices of `rf`; both reads see the initial values everywhere but in SC.
    counts(&store_buffering(Rlx, None), [3, 4, 4, 4, 4, 4]);
    // A sequentially consistent store drains the buffers, as does such a fence.
    counts(&store_buffering(Sc, None), [3, 3, 3, 4, 3, 4]);
    counts(&store_buffering(Rlx, Some(Sc)), [3, 3, 3, 4, 3, 4]);
    counts(&store_buffering(Rlx, Some(AcqRel)), [3, 4, 4, 4, 4, 4]);
}

#[test]
fn message_passing() {
    let mp = |write: Mode, read: Mode, between: Option<Mode>| {
        let mut writer = vec![w(X, 1, Rlx), w(Y, 1, write)];
        writer.splice(1..1, between.map(fence));
        threads(vec![writer, vec![r(0, Y, read), r(1, X, Rlx)]])
    };
    counts(&mp(Rlx, Rlx, None), [3, 3, 4, 3, 4, 4]);
    // A release store keeps the writes of PSO in order; RC11 wants the acquire read as well.
    counts(&mp(Rel, Acq, None), [3, 3, 3, 3, 3, 4]);
    counts(&mp(Rel, Rlx, None), [3, 3, 3, 3, 4, 4]);
    // A release fence does the same as the release store.
    counts(&mp(Rlx, Acq, Some(Rel)), [3, 3, 3, 3, 3, 4]);
}

#[test]
fn load_buffering_needs_thin_air_or_dependencies() {
    let p = threads(vec![vec![r(0, X, Rlx), w(Y, 1, Rlx)], vec![r(0, Y, Rlx), w(X, 1, Rlx)]]);
    counts(&p, [3; 6]);
}

#[test]
fn coherence_of_reads() {
    // The second read is not older than the first: 0 0, 0 1, 1 1.
    counts(&threads(vec![vec![w(X, 1, Rlx)], vec![r(0, X, Rlx), r(1, X, Rlx)]]), [3; 6]);
    // Two writers: with either order of the two writes, the six ways for two reads to be in order.
    let p = threads(vec![vec![w(X, 1, Rlx)], vec![w(X, 2, Rlx)], vec![r(0, X, Rlx), r(1, X, Rlx)]]);
    counts(&p, [12; 6]);
    // Up to `rf`: nine pairs of values without a return to 0 from 1 or 2.
    for model in MODELS {
        assert_eq!(ends(model, &p, Detail::Rf).len(), 7, "{model}");
    }
}

#[test]
fn independent_reads_of_independent_writes() {
    let iriw = |write: Mode, read: Mode| {
        threads(vec![
            vec![w(X, 1, write)],
            vec![w(Y, 1, write)],
            vec![r(0, X, read), r(1, Y, read)],
            vec![r(0, Y, read), r(1, X, read)],
        ])
    };
    // Sixteen choices of `rf`, one of which has the readers disagree on the order of the writes.
    counts(&iriw(Rel, Acq), [15, 15, 15, 16, 16, 16]);
    counts(&iriw(Sc, Sc), [15, 15, 15, 16, 15, 16]);
}

#[test]
fn two_plus_two_writes() {
    let p = |mode| threads(vec![vec![w(X, 1, mode), w(Y, 2, mode)], vec![w(Y, 1, mode), w(X, 2, mode)]]);
    // Two orders per location; in one combination both first writes come last.
    counts(&p(Rlx), [3, 3, 4, 4, 4, 4]);
    counts(&p(Sc), [3, 3, 3, 4, 3, 4]);
    for model in MODELS {
        assert_eq!(ends(model, &p(Rlx), Detail::Rf).len(), 1, "{model}");
    }
}

#[test]
fn read_modify_writes_form_a_chain() {
    let p = threads(vec![vec![add(0, X, Rlx)], vec![add(0, X, Rlx)], vec![add(0, X, Rlx)]]);
    counts(&p, [6; 6]);
    // The write comes before, between or after the two.
    let p = threads(vec![vec![add(0, X, Rlx)], vec![add(0, X, Rlx)], vec![w(X, 7, Rlx)]]);
    counts(&p, [6; 6]);
}

#[test]
fn only_one_takes_the_lock() {
    let p = |weak| {
        let locked = || vec![cas(0, X, weak), Instr::Assume { cond: eq(0, 1) }, w(X, 0, Rel)];
        threads(vec![locked(), locked()])
    };
    for model in MODELS {
        // Either order of the critical sections; or one is passed by before or while the other is in it.
        // Threads that see 1 read it from the other's compare and swap: one blocked execution each.
        let strong = ends(model, &p(false), Detail::Co);
        assert_eq!((of(&strong, End::Complete), of(&strong, End::Blocked)), (2, 2), "{model}");
        // A weak one may also fail when it reads 0 (or 1) by choice: more ways to be blocked only.
        let weak = ends(model, &p(true), Detail::Co);
        assert_eq!(of(&weak, End::Complete), 2, "{model}");
        assert_eq!(of(&weak, End::Blocked), 2 + 2 * 3 + 1, "{model}");
    }
}

#[test]
fn errors_are_kept_and_marked() {
    let check = Instr::Assert { cond: eq(0, 1), message: String::from("one") };
    let p = threads(vec![vec![w(X, 1, Rlx)], vec![r(0, X, Rlx), check]]);
    for model in MODELS {
        let all = ends(model, &p, Detail::Co);
        assert_eq!((of(&all, End::Complete), of(&all, End::Error)), (1, 1), "{model}");
    }
}

#[test]
fn threads_are_created_and_joined() {
    let spawn = || Instr::Spawn { thread: selvedge_graph::Tid(1) };
    let join = || Instr::Join { thread: selvedge_graph::Tid(1) };
    let program = |parent: Vec<Instr>, child: Vec<Instr>| {
        let mut p = threads(vec![parent]);
        p.thread("child", false, child);
        p
    };
    // Before and after are ordered in every model.
    let p = program(vec![w(X, 1, Rlx), spawn(), join(), r(0, Y, Rlx)], vec![r(0, X, Rlx), w(Y, 1, Rlx)]);
    counts(&p, [1; 6]);
    let p = program(vec![spawn(), w(X, 1, Rlx), r(0, Y, Rlx)], vec![r(0, X, Rlx)]);
    counts(&p, [2; 6]);
    // An empty child is joined as well.
    counts(&program(vec![spawn(), join()], vec![]), [1; 6]);
    // A child that is never created does not run, and joining it blocks.
    let p = program(vec![r(0, X, Rlx), join(), w(X, 1, Rlx)], vec![w(X, 1, Rlx)]);
    for model in MODELS {
        assert_eq!(ends(model, &p, Detail::Co), [End::Blocked], "{model}");
    }
}

#[test]
fn plain_accesses_race() {
    let p = |flag_write: Mode, flag_read: Mode| {
        threads(vec![
            vec![w(X, 1, Na), w(Y, 1, flag_write)],
            vec![r(0, Y, flag_read), Instr::Assume { cond: eq(0, 1) }, r(1, X, Na)],
        ])
    };
    let races = |p: &Program| {
        let mut racy = 0;
        enumerate(p, &judge("rc11"), Detail::Co, Limits::default(), &mut |x| racy += u32::from(x.flags != 0))
            .expect("small enough");
        racy
    };
    assert_eq!(races(&p(Rel, Acq)), 0);
    // Without synchronisation both values of `x` can be seen, and both executions race.
    assert_eq!(races(&p(Rlx, Rlx)), 2);
}

#[test]
fn elements_of_arrays_by_what_was_read() {
    let index = Expr::Reg(Reg(0));
    let element = Addr::Element { base: selvedge_graph::Loc(0), len: 2, index };
    let read = Instr::Load { dst: Reg(1), addr: element, mode: Rlx };
    // x = 2 makes the index too great; the read of an element sees all that was written there.
    let p = threads(vec![vec![w(X, 1, Rlx), w(X, 2, Rlx)], vec![r(0, X, Rlx), read]]);
    for model in MODELS {
        let all = ends(model, &p, Detail::Co);
        assert_eq!((of(&all, End::Complete), of(&all, End::Error)), (4, 1), "{model}");
    }
}
