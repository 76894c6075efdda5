//! Which loads each register was computed from (thesis alg. 2.2).
//!
//! * A register that a load writes depends on that load and on nothing else: not on what the load's
//!   address was computed from.
//! * A register that is assigned an expression depends on what the registers in it depend on, whatever
//!   their values: `r1 ^ r1` depends on what `r1` does.
//! * A branch, an `assume` and an `assert` make everything after them depend on their condition. In the sense
//!   of `arm`, a branch does so only up to the end of its arms.
//! * The result of a read-modify-write depends on its load half. What it writes depends on its operand
//!   (`data`); that it also depends on its own load half is the relation `rmw`. A compare-and-swap does
//!   not make what follows depend on it, other than through its registers: the value that it expects is
//!   a dependency of its load half (`cas`) alone.
//! * A plain store of a pointer that depends on no load publishes what its thread wrote to the location that
//!   it points to.
//! * Whether a store-conditional succeeds depends on no load; what follows may depend on its store
//!   (`sc_depends`).

use crate::expr::{Expr, Reg};
use crate::program::{Addr, pointed_to};
use selvedge_graph::{DepSet, Deps, Loc, Value};

#[derive(Clone, Debug)]
pub(crate) struct Tracking {
    /// Position of the operation that the thread stands at.
    at: u32,
    regs: Vec<DepSet>,
    /// Which registers were computed from something that was read, also where that is settled.
    read: Vec<bool>,
    /// Of that operation; `ctrl` is what the branches so far depend on.
    deps: Deps,
    /// The branches in whose arms the thread is: where these end, and what the branches depend on.
    open: Vec<(u32, DepSet)>,
    /// What `assume` and the like depend on.
    for_good: DepSet,
    /// The store that the thread comes to stores something that was computed from what was read.
    stores_what_was_read: bool,
    /// The stores so far, by location.
    written: Vec<(Loc, DepSet)>,
}

impl Tracking {
    pub fn new(registers: usize) -> Tracking {
        Tracking {
            at: 0,
            regs: vec![DepSet::EMPTY; registers],
            read: vec![false; registers],
            deps: Deps::NONE,
            open: Vec::new(),
            for_good: DepSet::EMPTY,
            written: Vec::new(),
            stores_what_was_read: false,
        }
    }

    /// Arms end, and branches are decided by operations of their own.
    pub fn with_arms(mut self) -> Tracking {
        self.deps.path = Some(DepSet::EMPTY);
        self
    }

    /// What was read so far is settled: positions are counted from the operation that the thread stands at.
    /// If that is a store, it is still to be published.
    pub fn forget_all(&mut self) {
        let here = self.at;
        self.written.retain(|(_, set)| set.contains(here));
        self.written.iter_mut().for_each(|(_, set)| *set = DepSet::one(1));
        self.at = 1;
        self.regs.iter_mut().for_each(DepSet::clear);
        let path = self.deps.path.is_some().then_some(DepSet::EMPTY);
        self.deps = Deps { path, ..Deps::NONE };
        self.open.iter_mut().for_each(|(_, set)| set.clear());
        self.for_good.clear();
    }

    /// The thread comes to an instruction.
    pub fn reach(&mut self, pc: u32) {
        if self.open.iter().any(|(end, _)| *end == pc) {
            self.open.retain(|(end, _)| *end != pc);
            self.deps.arm = self.for_good.clone();
            for (_, set) in &self.open {
                self.deps.arm.union(set);
            }
        }
    }

    /// Whether a branch has something to decide.
    pub fn depends(&self, cond: &Expr) -> bool {
        !self.of(cond).is_empty()
    }

    /// The thread is in an arm of a branch, which was decided by an operation of its own.
    pub fn enter(&mut self, cond: &Expr, end: u32) {
        let set = self.of(cond);
        self.deps.ctrl.union(&set);
        self.deps.arm.union(&set);
        match self.open.iter_mut().find(|(other, _)| *other == end) {
            Some((_, all)) => all.union(&set),
            None => self.open.push((end, set)),
        }
    }

    /// The store-conditional that the thread comes to next gives its result to `dst`.
    pub fn stores(&mut self, dst: Reg) {
        self.read[dst.0 as usize] = true;
        self.regs[dst.0 as usize] = DepSet::one(self.at + 1);
    }

    /// The number of the operation that the thread stands at, from 1.
    pub fn position(&self) -> u32 {
        self.at
    }

    pub fn deps(&self) -> &Deps {
        &self.deps
    }

    /// The thread leaves the operation that it stood at.
    pub fn go_on(&mut self) {
        self.deps.faults.clear();
        self.deps.publishes.clear();
    }

    /// The thread is at its next operation.
    pub fn next_operation(&mut self) {
        self.at += 1;
    }

    /// The operation that the thread is at now is a store.
    pub fn stored(&mut self, loc: Loc, value: Value, rmw: bool) {
        let of = |written: &[(Loc, DepSet)], loc| written.iter().position(|(of, _)| *of == loc);
        if !rmw
            && !std::mem::take(&mut self.stores_what_was_read)
            && let Some(at) = pointed_to(value).and_then(|loc| of(&self.written, loc))
        {
            self.deps.publishes.clone_from(&self.written[at].1);
        }
        match of(&self.written, loc) {
            Some(at) => self.written[at].1.insert(self.at),
            None => self.written.push((loc, DepSet::one(self.at))),
        }
    }

    /// The thread is past the operation that it stood at.
    pub fn clear(&mut self) {
        self.deps.addr.clear();
        self.deps.data.clear();
        self.deps.cas.clear();
    }

    /// Registers that were computed from something that was read.
    pub fn read(&self) -> &[bool] {
        &self.read
    }

    fn is_of_reads(&self, expr: &Expr) -> bool {
        let mut any = false;
        expr.registers(&mut |r| any |= self.read[r.0 as usize]);
        any
    }

    fn of(&self, expr: &Expr) -> DepSet {
        let mut set = DepSet::EMPTY;
        expr.registers(&mut |r| set.union(&self.regs[r.0 as usize]));
        set
    }

    pub fn assign(&mut self, dst: Reg, expr: &Expr) {
        self.read[dst.0 as usize] = self.is_of_reads(expr);
        self.regs[dst.0 as usize] = self.of(expr);
    }

    /// The load that the thread stands at gives its value to `dst`.
    pub fn loaded(&mut self, dst: Reg) {
        self.read[dst.0 as usize] = true;
        self.regs[dst.0 as usize] = DepSet::one(self.at);
    }

    pub fn forget(&mut self, dst: Reg) {
        self.read[dst.0 as usize] = false;
        self.regs[dst.0 as usize].clear();
    }

    pub fn branch(&mut self, cond: &Expr) {
        let set = self.of(cond);
        self.deps.ctrl.union(&set);
        self.deps.arm.union(&set);
        self.for_good.union(&set);
        if let Some(path) = &mut self.deps.path {
            path.union(&set);
        }
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
        self.stores_what_was_read = self.is_of_reads(value);
    }

    /// What a read-modify-write writes is computed from what it reads.
    pub fn computes(&mut self) {
        self.deps.cas = DepSet::one(self.at);
    }

    pub fn expects(&mut self, expected: &Expr) {
        self.deps.cas = self.of(expected);
    }
}
