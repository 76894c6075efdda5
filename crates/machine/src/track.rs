//! Which loads each register was computed from (thesis alg. 2.2).
//!
//! * A register that a load writes depends on that load and on nothing else: not on what the load's
//!   address was computed from.
//! * A register that is assigned an expression depends on what the registers in it depend on, whatever
//!   their values: `r1 ^ r1` depends on what `r1` does.
//! * A branch, an `assume` and an `assert` make everything after them depend on their condition.
//! * The result of a read-modify-write depends on its load half. What it writes depends on its operand
//!   (`data`); that it also depends on its own load half is the relation `rmw`. A compare-and-swap does
//!   not make what follows depend on it, other than through its registers: the value that it expects is
//!   a dependency of its load half (`cas`) alone.
//! * Whether a store-conditional succeeds depends on no load.

use crate::expr::{Expr, Reg};
use crate::program::Addr;
use selvedge_graph::{DepSet, Deps};

#[derive(Clone, Debug)]
pub(crate) struct Tracking {
    /// Position of the operation that the thread stands at.
    at: u32,
    regs: Vec<DepSet>,
    /// Of that operation; `ctrl` is what the branches so far depend on.
    deps: Deps,
}

impl Tracking {
    pub fn new(registers: usize) -> Tracking {
        Tracking { at: 0, regs: vec![DepSet::EMPTY; registers], deps: Deps::NONE }
    }

    pub fn deps(&self) -> &Deps {
        &self.deps
    }

    /// The thread leaves the operation that it stood at.
    pub fn go_on(&mut self) {
        self.deps.faults.clear();
    }

    /// The thread is at its next operation.
    pub fn next_operation(&mut self) {
        self.at += 1;
    }

    /// The thread is past the operation that it stood at.
    pub fn clear(&mut self) {
        self.deps.addr.clear();
        self.deps.data.clear();
        self.deps.cas.clear();
    }

    fn of(&self, expr: &Expr) -> DepSet {
        let mut set = DepSet::EMPTY;
        expr.registers(&mut |r| set.union(&self.regs[r.0 as usize]));
        set
    }

    pub fn assign(&mut self, dst: Reg, expr: &Expr) {
        self.regs[dst.0 as usize] = self.of(expr);
    }

    /// The load that the thread stands at gives its value to `dst`.
    pub fn loaded(&mut self, dst: Reg) {
        self.regs[dst.0 as usize] = DepSet::one(self.at);
    }

    pub fn forget(&mut self, dst: Reg) {
        self.regs[dst.0 as usize].clear();
    }

    pub fn branch(&mut self, cond: &Expr) {
        let set = self.of(cond);
        self.deps.ctrl.union(&set);
    }

    pub fn address(&mut self, addr: &Addr) {
        let mut set = DepSet::EMPTY;
        addr.registers(&mut |r| set.union(&self.regs[r.0 as usize]));
        self.deps.addr = set;
    }

    /// The thread has failed, unless this is an address.
    pub fn may_fail(&mut self, addr: &Addr) {
        let mut set = DepSet::EMPTY;
        addr.registers(&mut |r| set.union(&self.regs[r.0 as usize]));
        self.deps.faults.union(&set);
    }

    pub fn data(&mut self, value: &Expr) {
        self.deps.data = self.of(value);
    }

    pub fn expects(&mut self, expected: &Expr) {
        self.deps.cas = self.of(expected);
    }
}
