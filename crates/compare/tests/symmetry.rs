//! Exploring threads that do the same in one order makes no difference but for their names: with and
//! without, generated programs have the same complete executions up to a permutation of such threads, the
//! same deadlocks and the same errors.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model, `SELVEDGE_FUZZ_SEED` which ones.

use crate::common;

use common::{Subject, is_out_of_order, shown};

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_explore::{Chains, Config, End, Schedule, Twins, Watches};
use selvedge_graph::{ExecutionGraph, Loc, Mode, Tid};
use selvedge_machine::expr::{Expr, Reg};
use selvedge_machine::program::{Addr, Instr};
use selvedge_machine::{Op, Program, Reduction, Reductions};
use selvedge_oracle::canon::Canon;
use selvedge_oracle::generate::{self, rng_for};
use selvedge_oracle::shrink::shrink_program;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

fn is_about_threads(instr: &Instr) -> bool {
    matches!(instr, Instr::Spawn { .. } | Instr::Join { .. })
}

/// A program in which some threads do the same.
fn program(rng: &mut SmallRng) -> Program {
    let mut p = match rng.random_range(0..3) {
        0 => generate::program(rng),
        _ => common::program(rng),
    };
    let mut codes: Vec<Vec<Instr>> = p.threads.drain(..).map(|t| t.code).collect();
    codes.retain(|code| !code.iter().any(is_about_threads) && code.len() < 12);
    let Some(same) = codes.pop() else { return program(rng) };
    let copies = if same.len() > 4 { 2 } else { 2 + rng.random_range(0..2) };
    codes.truncate(if copies == 2 { 1 } else { rng.random_range(0..2) });
    let mut all = vec![same; copies];
    if rng.random_ratio(1, 2) {
        let at = if rng.random_ratio(1, 2) { 0 } else { copies };
        all.splice(at..at, codes);
        for (t, code) in all.into_iter().enumerate() {
            p.thread(format!("P{t}"), true, code);
        }
        return p;
    }
    let own = p.loc("p", 0);
    let creator = creator(rng, own, copies, codes.pop().unwrap_or_default());
    if rng.random_ratio(1, 12) {
        let dst = Reg(40);
        all[0].push(Instr::Load { dst, addr: Addr::Loc(own), mode: Mode::Rlx });
        let copy = all[0].clone();
        all.fill(copy);
    }
    p.thread("P0", true, creator);
    for (t, code) in all.into_iter().enumerate() {
        p.thread(format!("P{}", t + 1), false, code);
    }
    p
}

/// Creates the threads after the first, and may wait for them. `code` is what it does besides.
fn creator(rng: &mut SmallRng, own: Loc, copies: usize, code: Vec<Instr>) -> Vec<Instr> {
    let straight = !code.iter().any(|i| matches!(i, Instr::Branch { .. } | Instr::Jump { .. }));
    let cut = if straight { rng.random_range(0..=code.len()) } else { 0 };
    let (before, after) = code.split_at(cut);
    let mut all = before.to_vec();
    let between = |rng: &mut SmallRng, all: &mut Vec<Instr>| {
        // What others use is for once.
        let seen = rng.random_ratio(1, 4);
        let addr = Addr::Loc(if seen { Loc(rng.random_range(0..own.0)) } else { own });
        let mode = if seen && rng.random_ratio(1, 2) { Mode::Rlx } else { Mode::Na };
        match rng.random_range(0..6) {
            0 | 2 => all.push(Instr::Store { addr, value: Expr::Const(1), mode }),
            1 => all.push(Instr::Load { dst: Reg(41), addr, mode }),
            _ => {}
        }
    };
    for t in 1..=copies {
        between(rng, &mut all);
        all.push(Instr::Spawn { thread: Tid(t as u16) });
    }
    let after: Vec<Instr> = after
        .iter()
        .map(|instr| match instr {
            Instr::Branch { cond, target } => {
                Instr::Branch { cond: cond.clone(), target: target + all.len() - cut }
            }
            Instr::Jump { target } => Instr::Jump { target: target + all.len() - cut },
            other => other.clone(),
        })
        .collect();
    let early = rng.random_ratio(1, 2);
    if early {
        all.extend(after.iter().cloned());
    }
    let mut left: Vec<usize> = (1..=copies).collect();
    if rng.random_ratio(1, 3) {
        left.clear();
    } else if rng.random_ratio(1, 12) {
        left.pop();
    }
    while !left.is_empty() {
        let t = left.remove(rng.random_range(0..left.len()));
        all.push(Instr::Join { thread: Tid(t as u16) });
        between(rng, &mut all);
    }
    if !early && straight {
        all.extend(after);
    }
    all
}

/// All permutations of threads with the same code, the creator left out.
fn renamings(p: &Program) -> Vec<Vec<Tid>> {
    let mut all: Vec<Vec<Tid>> = vec![Vec::new()];
    let same = |a: Tid, b: Tid| {
        let (a, b) = (&p.threads[a.index()], &p.threads[b.index()]);
        a.code == b.code && a.initial == b.initial
    };
    for t in (0..p.threads.len() as u16).map(Tid) {
        let mut longer = Vec::new();
        for names in &all {
            let free = (0..p.threads.len() as u16).map(Tid).filter(|x| same(*x, t) && !names.contains(x));
            longer.extend(free.map(|x| [names.as_slice(), &[x]].concat()));
        }
        all = longer;
    }
    all
}

fn orbit(g: &ExecutionGraph, renamings: &[Vec<Tid>]) -> Option<Canon> {
    renamings.iter().map(|does| Canon::renamed(g, true, does)).min()
}

#[derive(Default)]
struct Found {
    complete: BTreeMap<Canon, u32>,
    orbits: BTreeSet<Canon>,
    deadlock: bool,
    errors: bool,
    cut: bool,
    broken: bool,
    /// Program order does not do.
    out_of_order: bool,
}

/// More would take too long.
const MOST: u64 = 20_000;

#[derive(Clone, Copy, Debug)]
struct Way {
    schedule: Schedule,
    reductions: Reductions,
    shortcuts: bool,
    inspect: bool,
}

fn explored(p: &Program, subject: &Subject, way: Way, by_dependencies: bool) -> Option<Found> {
    let (chains, twins) = (Arc::new(Chains::default()), Arc::new(Twins::default()));
    let config = Config {
        schedule: way.schedule,
        reductions: way.reductions,
        shortcuts: way.shortcuts,
        inspect: way.inspect,
        watches: Watches { chains: Some(chains.clone()), twins: Some(twins.clone()), ..Watches::default() },
        max_executions: Some(MOST),
        ..Config::default()
    };
    let names = renamings(p);
    let mut found = Found::default();
    let stats = subject.explore(p, &config, by_dependencies, &mut |x| {
        match x.end {
            End::Complete => {
                *found.complete.entry(Canon::from_graph(x.graph, true)).or_default() += 1;
                found.orbits.extend(orbit(x.graph, &names));
                found.errors |= !x.model_errors().is_empty();
            }
            End::Blocked => {
                // Whoever waits has seen the latest there is.
                let up_to_date = (0..p.threads.len() as u16).map(Tid).all(|t| {
                    if !matches!(x.stands_at(t), Some(Op::Block(_))) {
                        return true;
                    }
                    let g = x.graph;
                    let last = g.thread(t).last().copied().filter(|&e| g.event(e).is_read());
                    // One that waits at a read-modify-write although the load before it said that the lock
                    // is free would come to that load again, in a loop.
                    let confirmed = |e| {
                        let (ev, before) = (g.event(e), g.po_pred(e).map(|r| g.event(r)));
                        !before.is_some_and(|r| r.is_read() && r.loc == ev.loc)
                    };
                    last.is_none_or(|e| g.rf(e) == g.co_last(g.event(e).loc) && confirmed(e))
                });
                found.deadlock |= up_to_date;
            }
            End::Cut => found.cut = true,
            End::Error => found.errors = true,
        }
        ControlFlow::Continue(())
    });
    found.broken = chains.broken().is_some() || twins.broken();
    found.out_of_order = is_out_of_order(&stats);
    (stats.gave_up.is_none() || found.broken || found.out_of_order).then_some(found)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is wrong with the reduction on a program.
#[derive(PartialEq, Eq, Debug)]
enum Difference {
    /// How many complete executions there are with and without it.
    None(usize, usize),
    /// The condition of the reduction does not hold.
    Broken,
    /// Too many executions.
    TooBig,
    /// Program order does not do.
    OutOfOrder,
    /// How many complete executions are missing, there without reason, or there twice.
    Executions {
        all: usize,
        missing: usize,
        extra: usize,
        twice: usize,
    },
    ManyMore,
    Deadlock {
        with: bool,
        without: bool,
    },
    Errors,
    Cut,
}

impl Difference {
    fn is_wrong(&self) -> bool {
        use Difference::{Broken, OutOfOrder, TooBig};
        !matches!(self, Difference::None(..) | Broken | TooBig | OutOfOrder)
    }
}

fn difference(p: &Program, subject: &Subject, way: Way) -> Difference {
    let off = Way { reductions: way.reductions.without(Reduction::Symmetry), ..way };
    let Some(mut without) = explored(p, subject, off, false) else { return Difference::TooBig };
    let Some(with) = explored(p, subject, way, false) else { return Difference::ManyMore };
    if with.broken || without.broken {
        return Difference::Broken;
    }
    if with.out_of_order {
        return Difference::OutOfOrder;
    }
    if without.out_of_order {
        match explored(p, subject, off, true) {
            Some(all) => without = all,
            None => return Difference::TooBig,
        }
    }
    let twice = with.complete.values().filter(|n| **n > 1).count();
    let missing = without.orbits.difference(&with.orbits).count();
    let extra = with.complete.keys().filter(|x| !without.complete.contains_key(x)).count();
    if (twice, missing, extra) != (0, 0, 0) {
        Difference::Executions { all: without.complete.len(), missing, extra, twice }
    } else if with.deadlock != without.deadlock {
        Difference::Deadlock { with: with.deadlock, without: without.deadlock }
    } else if with.errors != without.errors {
        Difference::Errors
    } else if with.cut != without.cut {
        Difference::Cut
    } else {
        Difference::None(with.complete.len(), without.complete.len())
    }
}

/// Different ways to explore, by number.
fn way(n: u64, all: Reductions) -> Way {
    let schedule = if n.is_multiple_of(2) { Schedule::LeftToRight } else { Schedule::WritesFirst };
    let but = |off: &[Reduction]| off.iter().copied().fold(all, Reductions::without);
    let reductions = match n % 5 {
        0 | 1 => all,
        2 => but(&[Reduction::Awaits]),
        3 => but(&[Reduction::Awaits, Reduction::Annotations]),
        _ => but(&[Reduction::Awaits, Reduction::Annotations, Reduction::Confirmation]),
    };
    Way { schedule, reductions, shortcuts: n % 7 != 6, inspect: n % 3 == 2 }
}

fn no_difference(name: &str) {
    let mut subject = Subject::new(name);
    subject.model = subject.model.with_prefix_apart();
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 300), number("SELVEDGE_FUZZ_SEED", 5));
    let (mut compared, mut broken, mut out_of_order, mut reduced, mut executions) = (0, 0, 0, 0, [0; 2]);
    for n in 0..programs {
        let p = program(&mut rng_for(seed, n));
        let way = way(n, subject.reductions());
        match difference(&p, &subject, way) {
            Difference::None(with, without) => {
                compared += 1;
                reduced += (with < without) as u64;
                executions[0] += with;
                executions[1] += without;
            }
            Difference::TooBig => {}
            Difference::Broken => broken += 1,
            Difference::OutOfOrder => out_of_order += 1,
            wrong => {
                let small = shrink_program(&p, &mut |p| difference(p, &subject, way).is_wrong());
                let what = difference(&small, &subject, way);
                let text = shown(&small);
                panic!(
                    "program {n} of seed {seed} under {name} ({way:?}): {wrong:?}; smaller: {what:?}\n{text}"
                );
            }
        }
    }
    let [with, without] = executions;
    eprintln!(
        "{name}: {compared} compared, {reduced} reduced, {broken} broken, {out_of_order} out of order, {with} of \
         {without} executions left"
    );
    assert!(compared > 2 * broken && 4 * reduced > compared);
}

crate::test_each_model!(no_difference: sc tso pso ra rlx rc11 armv8 imm riscv power);
