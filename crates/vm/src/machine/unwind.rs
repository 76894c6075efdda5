//! Leaving several calls at once: `longjmp`, `pthread_exit`, handlers of `pthread_cleanup_push`.
//!
//! In C, glibc's `pthread_cleanup_push` is a `setjmp` that `pthread_exit` jumps back to. So there is one
//! mechanism: frames are left one by one, what is on their stacks dies, and then the thread lands.

use super::exceptions::Flying;
use super::state::{Frame, Stage, Val, VmState};
use super::{Halt, VmMachine, fail};
use selvedge_ir::Reg;
use selvedge_machine::{ErrorKind, Op};
use std::rc::Rc;

/// Where `setjmp` was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    buffer: u64,
    depth: u32,
    pc: u32,
    dst: Option<Reg>,
}

/// Where a thread goes once it has left the frames above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Landing {
    /// After the call of `setjmp`, which returns this.
    Jump(Jump, u32),
    /// The end of the thread.
    Leave,
    /// Where an exception is caught, or has something done.
    Exception(Flying),
}

pub fn set_jump(state: &mut VmState, buffer: u64, dst: Option<Reg>) {
    let jump = Jump { buffer, depth: state.depth, pc: state.frame.pc, dst };
    let jumps = &mut Rc::make_mut(&mut state.rare).jumps;
    jumps.retain(|j| j.buffer != buffer);
    jumps.push(jump);
}

/// Forgets where calls to `setjmp` were in frames that are gone.
pub fn forget_jumps(state: &mut VmState) {
    let depth = state.depth;
    if state.rare.jumps.iter().any(|j| j.depth > depth) {
        Rc::make_mut(&mut state.rare).jumps.retain(|j| j.depth <= depth);
    }
}

impl VmMachine {
    pub(super) fn long_jump(&self, state: &mut VmState, buffer: u64, value: u32) -> Result<Option<Op>, Halt> {
        match state.rare.jumps.iter().find(|j| j.buffer == buffer).copied() {
            Some(jump) => self.land(state, Landing::Jump(jump, value.max(1))),
            None => fail(ErrorKind::UndefinedBehaviour, "`longjmp` to a call that has returned, or to none"),
        }
    }

    /// `pthread_exit`, or what is left of it after a handler has run (`result` is `None` then).
    pub(super) fn unwind(&self, state: &mut VmState, result: Option<Val>) -> Result<Option<Op>, Halt> {
        let rare = Rc::make_mut(&mut state.rare);
        if let Some(result) = result {
            rare.result = Some(result);
        }
        match rare.cleanups.pop() {
            Some(handler) => self.long_jump(state, handler, 1),
            None => self.land(state, Landing::Leave),
        }
    }

    /// Leaves frames until the thread is where it is to land. What is on their stacks dies.
    pub(super) fn land(&self, state: &mut VmState, landing: Landing) -> Result<Option<Op>, Halt> {
        let depth = match landing {
            Landing::Jump(jump, _) => jump.depth,
            Landing::Leave => 0,
            Landing::Exception(exception) => return self.go_on_unwinding(state, exception),
        };
        let leaves = matches!(landing, Landing::Leave);
        while state.depth > depth || leaves {
            if let Some(object) = state.frame.stack.pop() {
                state.stage = Stage::Landing(Box::new(landing));
                return Ok(Some(Op::Free { object }));
            }
            if state.depth == depth {
                break;
            }
            state.pop_frame();
        }
        forget_jumps(state);
        match landing {
            Landing::Jump(jump, value) => {
                if let Some(dst) = jump.dst {
                    state.frame.set(dst, value as u64);
                }
                state.frame.pc = jump.pc + 1;
                Ok(None)
            }
            Landing::Leave => {
                let result = state.rare.result.unwrap_or(Val::known(0));
                Ok(self.end_of_thread(state, result))
            }
            Landing::Exception(_) => Ok(None),
        }
    }

    /// The start routine has returned, or `pthread_exit` has left it: destructors of keys run now.
    pub(super) fn end_of_thread(&self, state: &mut VmState, result: Val) -> Option<Op> {
        let exits = self.hooks.thread_exits.filter(|_| !state.rare.exits.is_empty());
        match exits.or(self.hooks.leave.filter(|_| !state.rare.specific.is_empty())) {
            Some(leave) => {
                let mut frame: Frame = self.new_frame(leave, state.private.len() as u32);
                frame.set_val(0, result);
                state.push_frame(frame);
                None
            }
            None => Some(self.leave_thread(state, result)),
        }
    }
}
