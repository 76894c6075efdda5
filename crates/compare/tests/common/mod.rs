//! Generated programs with locks and waiting loops.

use rand::Rng;
use rand::rngs::SmallRng;
use selvedge_explore::{Config, Execution, GaveUp, Stats, Watches, Way, explore, explore_compiled};
use selvedge_graph::{Loc, Mode};
use selvedge_machine::expr::{BinOp, Expr, Reg};
use selvedge_machine::program::{Addr, Instr, RmwOp};
use selvedge_machine::{Again, Program, Reduction, Reductions};
use selvedge_model::{Compiled, Model};
use std::ops::ControlFlow;

/// A program as a failure shows it.
pub fn shown(program: &Program) -> String {
    let mut text = format!("{:?}\n", program.locs);
    for thread in &program.threads {
        text += &format!("{}:\n", thread.name);
        for instr in &thread.code {
            text += &format!("    {instr:?}\n");
        }
    }
    text
}

/// A shipped model.
pub struct Subject {
    compiled: Compiled,
    /// Of one that follows dependencies, what explores programs in program order.
    pub model: Model,
}

impl Subject {
    pub fn new(name: &str) -> Subject {
        let theory = selvedge_kat::load_named(name).expect("a shipped model");
        let compiled = selvedge_decide::compile(&theory).expect("a model");
        let model = match &compiled {
            Compiled::Clocks(model) => model.clone(),
            Compiled::Matrices(model) => model.in_order().expect("a model for program order").clone(),
        };
        Subject { compiled, model }
    }

    /// The reductions that may be on.
    pub fn reductions(&self) -> Reductions {
        let holds = |r: &Reduction| self.model.buffering().is_none() || Way::holds_in_order(*r);
        Reduction::ALL.into_iter().filter(|r| !holds(r)).fold(Reductions::ALL, Reductions::without)
    }

    /// Explores a program in program order; or, `by_dependencies`, whatever it is like.
    pub fn explore(
        &self,
        p: &Program,
        config: &Config,
        by_dependencies: bool,
        visit: &mut dyn FnMut(&Execution<'_, Program>) -> ControlFlow<()>,
    ) -> Stats {
        let p = &p.tracking(self.model.buffering().is_some(), false);
        if !by_dependencies {
            return explore(p, &self.model, config, visit).expect("an exploration");
        }
        let plain = Config { reductions: Reductions::NONE, watches: Watches::default(), ..config.clone() };
        let following = Config { in_order: false, ..plain };
        let stats = explore_compiled(p, &self.compiled, &following, visit).expect("an exploration");
        match stats.gave_up {
            // What was visited was right, and comes again.
            Some(GaveUp::Again(_)) => {
                let put_off = Config { follow: false, ..following };
                explore_compiled(p, &self.compiled, &put_off, visit).expect("an exploration")
            }
            _ => stats,
        }
    }
}

/// Whether it was found that program order does not do.
pub fn is_out_of_order(stats: &Stats) -> bool {
    stats.gave_up == Some(GaveUp::Again(Again::LoadBuffering))
}

/// A test for each model, which calls a function with its name.
#[macro_export]
macro_rules! test_each_model {
    ($test:ident: $($model:ident)*) => {
        $(
            #[test]
            fn $model() {
                $test(stringify!($model));
            }
        )*
    };
}

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

pub fn program(rng: &mut SmallRng) -> Program {
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
