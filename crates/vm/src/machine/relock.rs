//! Threads that wait by giving a lock up and taking it again.
//!
//! `lock(); while (!ready) { unlock(); lock(); }` comes back to its loop's beginning with the lock, as it
//! was, and must not wait there: whoever it waits for may need the lock. It waits where it is about to take
//! the lock, if it is there in the state in which it was last time at that place and has had no effect
//! since. Taking locks and giving them back is none if nobody can tell (`zne.rs`), nor is beginning and
//! ending an atomic section (`purity.rs`); and the steps between two such states can be left out for the
//! reasons given there, which do not ask whether they are those of an iteration. The thread does not have
//! the lock then, so what it waits for can happen; it waits for ever only if all that it has read since last
//! time is the latest there is.
//!
//! Who has chosen something in between, or found out something about an unknown number, goes on.

use super::VmMachine;
use super::purity::{same_counts, same_memory, same_rest};
use super::state::{Frame, VmState};
use selvedge_ir::Reg;
use selvedge_machine::Block;
use std::rc::Rc;

/// How many places are remembered.
const PLACES: usize = 4;

impl VmMachine {
    /// Why to wait instead of taking the lock that a thread is about to take.
    pub(super) fn waits_without(&self, state: &mut VmState) -> Option<Block> {
        let in_loop = || state.frames().any(|frame| !frame.watches.is_empty());
        if !(self.is_at_quiet_lock(state) || self.is_at_section(state)) || !in_loop() {
            return None;
        }
        let known = state.takes.iter().position(|then| is_here(then, state));
        if let Some(at) = known
            && let then = Rc::clone(&state.takes[at])
            && then.loads < state.loads
            && self.nothing_since(&then, state)
        {
            state.loads_at_header = then.loads;
            return Some(state.spin());
        }
        let mut now = state.clone();
        now.takes.clear();
        if known.is_none() && state.takes.len() == PLACES {
            state.takes.remove(0);
        }
        match known {
            Some(at) => state.takes[at] = Rc::new(now),
            None => state.takes.push(Rc::new(now)),
        }
        None
    }

    pub(super) fn nothing_since(&self, then: &VmState, now: &VmState) -> bool {
        (then.effects, then.choices, then.left_result) == (now.effects, now.choices, now.left_result)
            && then.facts == now.facts
            && same_counts(&then.made, &now.made)
            && same_memory(&then.private, &now.private)
            && same_rest(&then.rare, &now.rare)
            && then.frames().zip(now.frames()).all(|(a, b)| self.is_same(a, b))
    }

    /// But for what only tells how often a thread was there.
    fn is_same(&self, a: &Frame, b: &Frame) -> bool {
        let live = |reg: Reg| self.is_live(a.func, a.pc, reg);
        a.private == b.private
            && a.stack == b.stack
            && (0..a.regs.len() as Reg).all(|reg| a.get(reg) == b.get(reg) || !live(reg))
    }
}

/// Whether a thread was at the same place, called by the same calls.
pub(super) fn is_here(then: &VmState, now: &VmState) -> bool {
    let place = |frame: &Frame| (frame.func, frame.pc);
    then.depth == now.depth && then.frames().map(place).eq(now.frames().map(place))
}
