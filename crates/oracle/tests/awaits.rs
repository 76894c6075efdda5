//! Leaving waiting threads out of graphs makes no difference: with and without, generated programs with locks
//! and waiting loops have the same complete executions, each once, and the same deadlocks.
//!
//! `SELVEDGE_FUZZ_PROGRAMS` sets the number of programs per model, `SELVEDGE_FUZZ_SEED` which ones.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_explore::{Chains, Config, End, Schedule, explore};
use selvedge_graph::{Loc, Mode, Tid};
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use selvedge_machine::{Op, Program, Reduction, Reductions};
use selvedge_model::Model;
use selvedge_oracle::canon::Canon;
use selvedge_oracle::generate::{self, rng_for};
use selvedge_oracle::shrink::shrink_program;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

const FLAG: u32 = 2;
const DATA: u32 = 3;

struct Body<'a> {
    rng: &'a mut SmallRng,
    regs: u16,
    code: Vec<Instr>,
    left: i32,
    /// Of one program: blind writes to locks are rare, and most programs have none.
    rude: bool,
}

fn at(loc: u32) -> Addr {
    Addr::Loc(Loc(loc))
}

impl Body<'_> {
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.rng.random_range(0..all.len())]
    }

    fn fresh(&mut self) -> Reg {
        self.regs += 1;
        Reg(self.regs - 1)
    }

    fn acquire(&mut self) -> Mode {
        self.one_of(&[Mode::Acq, Mode::Acq, Mode::Sc, Mode::Rlx])
    }

    fn release(&mut self) -> Mode {
        self.one_of(&[Mode::Rel, Mode::Rel, Mode::Sc, Mode::Rlx])
    }

    fn assume_is(&mut self, reg: Reg, value: i64) {
        let cond = Expr::bin(BinOp::Eq, Expr::Reg(reg), Expr::Const(value));
        self.code.push(Instr::Assume { cond });
    }

    fn load(&mut self, loc: u32) -> Reg {
        let (dst, mode) = (self.fresh(), self.acquire());
        self.code.push(Instr::Load { dst, addr: at(loc), mode });
        self.left -= 1;
        dst
    }

    fn store(&mut self, loc: u32, value: i64) {
        let mode = self.release();
        self.code.push(Instr::Store { addr: at(loc), value: Expr::Const(value), mode });
        self.left -= 1;
    }

    fn cas(&mut self, loc: u32, desired: i64) -> Reg {
        let (ok, old) = (self.fresh(), self.fresh());
        let success = self.one_of(&[Mode::Acq, Mode::AcqRel, Mode::Sc, Mode::Rlx]);
        let (expected, desired) = (Expr::Const(0), Expr::Const(desired));
        let (addr, failure) = (at(loc), Mode::Rlx);
        self.code.push(Instr::Cas { ok, old, addr, expected, desired, success, failure, weak: false });
        self.left -= 2;
        ok
    }

    fn lock(&mut self, loc: u32) {
        if self.rng.random_ratio(2, 5) {
            let seen = self.load(loc);
            self.assume_is(seen, 0);
        }
        let desired = self.one_of(&[1, 1, 1, 2]);
        let ok = self.cas(loc, desired);
        self.assume_is(ok, 1);
    }

    fn unlock(&mut self, loc: u32) {
        match self.rng.random_range(0..12) {
            0 => {}
            1 => {
                let (dst, mode) = (self.fresh(), self.release());
                let (addr, op, operand) = (at(loc), RmwOp::Exchange, Expr::Const(0));
                self.code.push(Instr::Rmw { dst, addr, op, operand, mode });
                self.left -= 2;
            }
            _ => self.store(loc, 0),
        }
    }

    fn data(&mut self) {
        let loc = DATA + self.rng.random_range(0..2);
        match self.rng.random_range(0..5) {
            0 | 1 => {
                self.load(loc);
            }
            2 | 3 => {
                let value = self.one_of(&[1, 2]);
                self.store(loc, value);
            }
            _ => {
                let (dst, addr) = (self.fresh(), at(loc));
                let (op, operand, mode) =
                    (RmwOp::Add, Expr::Const(1), self.one_of(&[Mode::Rlx, Mode::AcqRel]));
                self.code.push(Instr::Rmw { dst, addr, op, operand, mode });
                self.left -= 2;
            }
        }
    }

    fn piece(&mut self) {
        let lock = self.one_of(&[0, 0, 0, 1]);
        match self.rng.random_range(0..44) {
            0..20 => {
                self.lock(lock);
                if self.left > 1 && self.rng.random_ratio(2, 3) {
                    self.data();
                }
                if self.left > 3 && self.rng.random_ratio(1, 8) {
                    self.lock(1 - lock);
                    self.unlock(1 - lock);
                }
                self.unlock(lock);
            }
            20..24 => {
                let seen = self.load(FLAG);
                let value = self.one_of(&[0, 1, 1, 2]);
                self.assume_is(seen, value);
            }
            24..28 => {
                let value = self.one_of(&[0, 1, 1, 2]);
                self.store(FLAG, value);
            }
            // Waits for the lock to be free, or tries it.
            28..30 => {
                let seen = self.load(lock);
                if self.rng.random_ratio(1, 2) {
                    self.assume_is(seen, 0);
                }
            }
            30..32 => {
                let ok = self.cas(lock, 1);
                let free = Expr::bin(BinOp::Eq, Expr::Reg(ok), Expr::Const(0));
                let target = self.code.len() + 2;
                self.code.push(Instr::Branch { cond: free, target });
                self.store(lock, 0);
            }
            32 if self.rude => {
                let value = self.one_of(&[0, 0, 1]);
                self.store(lock, value);
            }
            // Changes what it has seen, in a loop.
            35..38 => {
                let loc = self.one_of(&[0, 1, DATA]);
                let seen = self.load(loc);
                let ok = self.cas(loc, 1);
                let Some(Instr::Cas { expected, desired, .. }) = self.code.last_mut() else { return };
                *expected = Expr::Reg(seen);
                if self.rng.random_ratio(2, 3) {
                    *desired = Expr::bin(BinOp::Add, Expr::Reg(seen), Expr::Const(1));
                }
                self.assume_is(ok, 1);
            }
            33 => {
                let mode = self.one_of(&[Mode::Sc, Mode::AcqRel]);
                self.code.push(Instr::Fence { mode });
            }
            // A semaphore of sorts.
            34 => {
                let (dst, addr) = (self.fresh(), at(lock));
                let (op, operand, mode) = (RmwOp::Add, Expr::Const(1), Mode::AcqRel);
                self.code.push(Instr::Rmw { dst, addr, op, operand, mode });
                self.left -= 2;
                if self.rng.random_ratio(1, 2) {
                    self.assume_is(dst, 0);
                }
            }
            _ => self.data(),
        }
    }
}

fn program(rng: &mut SmallRng) -> Program {
    let mut p = Program::new("generated");
    for (name, init) in [("l", 0), ("m", 0), ("f", 0), ("x", 0), ("y", 0)] {
        let odd = rng.random_ratio(1, 20) as i64;
        p.loc(name, init + odd);
    }
    let threads = 2 + rng.random_range(0..3);
    let rude = rng.random_ratio(1, 4);
    let all = [16, 14, 12][threads - 2];
    let mut left = all;
    for t in 0..threads {
        let own = rng.random_range(2..=7).min(left);
        let mut body = Body { rng, regs: 0, code: Vec::new(), left: own, rude };
        while body.left > 0 {
            body.piece();
        }
        left -= own - body.left;
        let code = body.code;
        p.thread(format!("P{t}"), true, code);
    }
    p
}

#[derive(Default)]
struct Found {
    complete: BTreeMap<Canon, u32>,
    deadlock: bool,
    blocked: u64,
    errors: bool,
    broken: bool,
}

/// More would take too long.
const MOST: u64 = 20_000;

fn explored(p: &Program, model: &Model, schedule: Schedule, reductions: Reductions) -> Option<Found> {
    let chains = Arc::new(Chains::default());
    let config = Config {
        schedule,
        reductions,
        chains: Some(chains.clone()),
        max_executions: Some(MOST),
        ..Config::default()
    };
    let mut found = Found::default();
    let stats = explore(p, model, &config, &mut |x| {
        match x.end {
            End::Complete => {
                *found.complete.entry(Canon::from_graph(x.graph, true)).or_default() += 1;
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
                    // One that waits at a read-modify-write although the load before it said that the lock is free
                    // would come to that load again, in a loop.
                    let confirmed = |e| {
                        let (ev, before) = (g.event(e), g.po_pred(e).map(|r| g.event(r)));
                        !before.is_some_and(|r| r.is_read() && r.loc == ev.loc)
                    };
                    last.is_none_or(|e| g.rf(e) == g.co_last(g.event(e).loc) && confirmed(e))
                });
                found.deadlock |= up_to_date;
            }
            End::Cut => {}
            End::Error => found.errors = true,
        }
        ControlFlow::Continue(())
    })
    .expect("an exploration");
    found.blocked = stats.blocked;
    found.broken = chains.broken().is_some();
    (stats.gave_up.is_none() || found.broken).then_some(found)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What is wrong with the reduction on a program.
#[derive(PartialEq, Eq, Debug)]
enum Difference {
    None,
    /// The condition of the reduction does not hold.
    Broken,
    /// Too many executions.
    TooBig,
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
}

impl Difference {
    fn is_wrong(&self) -> bool {
        !matches!(self, Difference::None | Difference::Broken | Difference::TooBig)
    }
}

fn difference(p: &Program, model: &Model, schedule: Schedule, blocked: &mut [u64; 2]) -> Difference {
    let off = Reductions::ALL.without(Reduction::Awaits);
    let Some(without) = explored(p, model, schedule, off) else { return Difference::TooBig };
    let Some(with) = explored(p, model, schedule, Reductions::ALL) else { return Difference::ManyMore };
    if with.broken {
        return Difference::Broken;
    }
    let twice = with.complete.values().filter(|n| **n > 1).count();
    let missing = without.complete.keys().filter(|x| !with.complete.contains_key(x)).count();
    let extra = with.complete.keys().filter(|x| !without.complete.contains_key(x)).count();
    blocked[0] += with.blocked;
    blocked[1] += without.blocked;
    if (twice, missing, extra) != (0, 0, 0) {
        Difference::Executions { all: without.complete.len(), missing, extra, twice }
    } else if with.deadlock != without.deadlock {
        Difference::Deadlock { with: with.deadlock, without: without.deadlock }
    } else if with.errors != without.errors {
        Difference::Errors
    } else {
        Difference::None
    }
}

fn no_difference(name: &str) {
    let model = Model::compile(&selvedge_kat::load_named(name).expect("a shipped model")).expect("a model");
    let (programs, seed) = (number("SELVEDGE_FUZZ_PROGRAMS", 400), number("SELVEDGE_FUZZ_SEED", 7));
    let (mut compared, mut broken, mut blocked) = (0, 0, [0; 2]);
    for n in 0..programs {
        let rng = &mut rng_for(seed, n);
        let p = if n % 4 == 3 { generate::program(rng) } else { program(rng) };
        for schedule in [Schedule::LeftToRight, Schedule::WritesFirst] {
            match difference(&p, &model, schedule, &mut blocked) {
                Difference::None => compared += 1,
                Difference::TooBig => {}
                Difference::Broken => broken += 1,
                wrong => {
                    let small =
                        shrink_program(&p, &mut |p| difference(p, &model, schedule, &mut [0; 2]).is_wrong());
                    let what = difference(&small, &model, schedule, &mut [0; 2]);
                    let mut text = String::new();
                    for thread in &small.threads {
                        text += &format!("{}:\n", thread.name);
                        for instr in &thread.code {
                            text += &format!("    {instr:?}\n");
                        }
                    }
                    let locs = &small.locs;
                    panic!(
                        "program {n} of seed {seed} under {name} ({schedule:?}): {wrong:?}; smaller: {what:?}\n{locs:?}\n{text}"
                    );
                }
            }
        }
    }
    let [with, without] = blocked;
    eprintln!("{name}: {compared} compared, {broken} broken, {with} of {without} blocked executions left");
    assert!(compared > 2 * broken && without > with + with / 5);
}

#[test]
fn sc() {
    no_difference("sc");
}

#[test]
fn tso() {
    no_difference("tso");
}

#[test]
fn pso() {
    no_difference("pso");
}

#[test]
fn ra() {
    no_difference("ra");
}

#[test]
fn rlx() {
    no_difference("rlx");
}

#[test]
fn rc11() {
    no_difference("rc11");
}
