//! What a thread knows by itself: which threads it joined, which locks it holds, its values for keys.

use super::state::{Stage, VmState};
use super::{Halt, VmMachine, fail};
use selvedge_graph::Tid;
use selvedge_machine::{ErrorKind, Op};
use std::rc::Rc;

impl VmMachine {
    /// The thread with an id; only one that was made some time can have been given one.
    fn thread_with(&self, id: u64, what: &str) -> Result<Tid, Halt> {
        let threads = self.tables.borrow().threads() as u64;
        if id == 0 || id > threads {
            return fail(ErrorKind::InvalidJoin, format!("{what} of something that is no thread"));
        }
        Ok(Tid(id as u16 - 1))
    }

    /// A thread that joins itself waits for ever. Joining twice is found in the graph, since two threads
    /// may do it.
    pub(super) fn join(&self, state: &mut VmState, id: u64) -> Result<Op, Halt> {
        let thread = self.thread_with(id, "join")?;
        state.stage = Stage::Advance;
        Ok(Op::Join { thread })
    }

    pub(super) fn detach(&self, state: &mut VmState, id: u64) -> Result<Op, Halt> {
        let thread = self.thread_with(id, "detaching")?;
        state.stage = Stage::Advance;
        Ok(Op::Detach { thread })
    }
}

/// Which of its locks the thread holds for itself at an address.
pub fn held_alone(state: &VmState, addr: u64) -> Option<usize> {
    state.rare.held.iter().position(|h| h.addr == addr && !h.shared)
}

/// See `__selvedge_lock_leave` in the library.
pub fn lock_leave(state: &mut VmState, addr: u64) -> u64 {
    let Some(at) = state.rare.held.iter().rposition(|h| h.addr == addr) else { return 3 };
    let held = &mut Rc::make_mut(&mut state.rare).held;
    if held[at].count > 1 {
        held[at].count -= 1;
        return 1;
    }
    if held.remove(at).shared { 2 } else { 0 }
}

/// Values that are null are as good as none.
pub fn set_specific(state: &mut VmState, key: u32, value: u64) {
    let specific = &mut Rc::make_mut(&mut state.rare).specific;
    specific.retain(|(k, _)| *k != key);
    if value != 0 {
        specific.push((key, value));
    }
}

/// The first key after `key` that has a value; 0 if there is none.
pub fn next_key(state: &VmState, key: u32) -> u32 {
    let later = state.rare.specific.iter().map(|(k, _)| *k).filter(|k| *k > key);
    later.min().unwrap_or(0)
}
