//! Iterations without net effect (thesis §7.2.6): what a loop adds to a location, it takes away again, and
//! goes round.
//!
//! The compiler marks both (`Net`). Whether it comes to that depends on what the first one reads, so the
//! machine looks ahead: where the next thing that the thread does is to take back what it adds, it does not
//! add anything, but waits. Whether others could tell the difference is found out by the explorer
//! (`net_effect.rs`), which asks what a thread would do if it had read the location while something was added
//! to it.
//!
//! Taking a lock and giving it back has no net effect either, unless somebody looks whether it is taken
//! without waiting for it. So in a program where nobody does, they are no effects of an iteration (`purity`):
//! if that changes nothing else, the thread waits after it, without the lock. The iterations before it can be
//! left out, as whoever took the lock after them could have taken it before.

use super::VmMachine;
use super::state::{Stage, VmState};
use crate::contents::entry;
use selvedge_graph::{Loc, Mode, Value};
use selvedge_ir::arith;
use selvedge_ir::{Instr, Net, RmwOp};
use selvedge_machine::{Block, Machine, Op, Reduction};

/// Functions that tell whether a lock is taken.
pub const LOOK_AT_LOCKS: [&str; 7] = [
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "pthread_spin_trylock",
    "mtx_trylock",
    "mtx_timedlock",
    "pthread_mutex_consistent",
];

/// Functions that take a lock, waiting for it if need be, or give it back.
pub const LOCKS: [&str; 4] =
    ["pthread_mutex_lock", "pthread_mutex_unlock", "__selvedge_lock_take", "__selvedge_lock_give"];

/// How far to look ahead.
const FAR: usize = 64;

/// The ordering of a read-modify-write that does not come to write.
pub fn reading_part(mode: Mode) -> Mode {
    match mode {
        Mode::Rel => Mode::Rlx,
        Mode::AcqRel => Mode::Acq,
        other => other,
    }
}

impl VmMachine {
    pub(super) fn leaves_out_undone(&self) -> bool {
        self.options.leave_out_undone
            && self.options.reductions.has(Reduction::Zne)
            && (!self.options.track_deps || self.options.in_order)
    }

    /// Whether a thread is about to take a lock or give it back, and nobody can tell if it does both.
    #[inline]
    pub(super) fn is_at_quiet_lock(&self, state: &VmState) -> bool {
        self.info(state.frame.func).locks && self.hooks.quiet_locks && self.leaves_out_undone()
    }

    /// Whether what the read-modify-write adds that the thread stands at is taken back, if it reads `input`.
    /// Then the thread waits.
    pub(super) fn undone(&self, state: &mut VmState, loc: Loc, input: u64) -> Option<Op> {
        let Instr::Rmw { net: Net::Tentative(number), .. } = *self.current(state) else { return None };
        let Instr::Rmw { operand, .. } = *self.current(state) else { return None };
        let known = self.value(state, operand).is_defined();
        if !known || !self.leaves_out_undone() || !self.takes_back(state, loc, input) {
            return None;
        }
        let header = self.function(state.frame.func).loops.get(number as usize)?.header;
        state.loads_at_header = state.frame.loads_at(header).unwrap_or(0);
        // What is left out after it may have been an `assume` that does not hold.
        let wait = if self.info(state.frame.func).assumes { Block::Assume } else { state.spin() };
        Some(Op::Block(wait))
    }

    fn takes_back(&self, state: &VmState, loc: Loc, input: u64) -> bool {
        let mut ahead = state.clone();
        self.rmw_store(&mut ahead, loc, input);
        ahead.stage = Stage::Fetch;
        ahead.frame.pc += 1;
        for _ in 0..FAR {
            let code = &self.function(ahead.frame.func).code;
            match code.get(ahead.frame.pc as usize) {
                Some(Instr::Rmw { net: Net::Undoes, addr, bytes, .. }) => {
                    return self.cell_at(&ahead, *addr, *bytes) == Some(loc);
                }
                Some(instr) if only_computes(instr) => {}
                _ => return false,
            }
            if !matches!(self.run(&mut ahead), Ok(None)) {
                return false;
            }
        }
        false
    }

    pub(super) fn amount_added(&self, state: &VmState) -> Value {
        match *self.current(state) {
            Instr::Rmw { op, operand, bytes: bytes @ 1..=8, .. } => {
                let operand = self.value(state, operand).bits;
                let amount = if op == RmwOp::Sub { operand.wrapping_neg() } else { operand };
                (amount & arith::mask(8 * bytes) as u64) as Value
            }
            _ => 0,
        }
    }

    pub(super) fn goes_on_alike(&self, state: &VmState, value: Value, shift: Value) -> bool {
        let (bytes, adds) = match *self.current(state) {
            Instr::Load { bytes: bytes @ 1..=8, .. } | Instr::Cmpxchg { bytes: bytes @ 1..=8, .. } => {
                (bytes, false)
            }
            // Whether bits that are taken out or put in are others than those that are added to is seen
            // below.
            Instr::Rmw { op, bytes: bytes @ 1..=8, .. } if keeps_sums(op) => (bytes, true),
            _ => return false,
        };
        let shifted = |v: Value| (v.wrapping_add(shift) as u64 & arith::mask(8 * bytes) as u64) as Value;
        // What stands for something else is no number to add to.
        let is_number = |v: Value| entry(v as u64).is_none();
        if !is_number(value) || !is_number(shifted(value)) {
            return false;
        }
        let (mut a, mut b) = (state.clone(), state.clone());
        match (self.step(&mut a, value), self.step(&mut b, shifted(value))) {
            // Then it is an iteration that is left out itself.
            (_, Op::Block(why)) if why != Block::Exit => true,
            (Op::Store { loc, value: x, mode, rmw: true }, y) if adds => {
                y == Op::Store { loc, value: shifted(x), mode, rmw: true }
                    && self.step(&mut a, 0) == self.step(&mut b, 0)
                    && self.same(&a, &b)
            }
            (x, y) => x == y && self.same(&a, &b),
        }
    }
}

/// Whether what is stored may be more by as much as what is read.
fn keeps_sums(op: RmwOp) -> bool {
    matches!(op, RmwOp::Add | RmwOp::Sub | RmwOp::And | RmwOp::Or | RmwOp::Xor)
}

/// Whether an instruction only changes registers, or where the thread goes on in its function.
pub(super) fn only_computes(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Move { .. }
            | Instr::Bin { .. }
            | Instr::Cmp { .. }
            | Instr::Cast { .. }
            | Instr::Overflowing { .. }
            | Instr::Bits { .. }
            | Instr::Funnel { .. }
            | Instr::Select { .. }
            | Instr::Offset { .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Switch { .. }
    )
}
