//! Compare-and-exchanges that complete another thread's step, and are left to that thread.
//!
//! In a queue of Michael and Scott, whoever finds that the tail lags behind moves it on, and so does the one
//! who has appended a node. If nothing depends on who does it, executions that differ in that are all alike.
//! Here such a helper does nothing: where its compare-and-exchange would succeed, it waits until it would
//! fail, and goes on then. Whether the owner does come to it is found out by the explorer (`helping.rs`).
//!
//! A step helps if the program says so (`selvedge_helping`), or if it looks so: its outcome is not used, what
//! the thread did last was to read, and the iteration that it is part of had no effect so far. What the
//! program says, and how it looks, is no more than a guess: it is right if the explorer finds it to be.

use super::VmMachine;
use super::state::{Stage, VmState};
use selvedge_ir::Instr;
use selvedge_machine::{Help, Op, Reduction};

impl VmMachine {
    pub(super) fn leaves_out_help(&self) -> bool {
        self.options.leave_out_help
            && self.options.reductions.has(Reduction::Helping)
            && !self.options.track_deps
    }

    /// Whether the compare-and-exchange that the thread is about to make is left to another one.
    #[inline]
    pub(super) fn is_help(&self, state: &VmState) -> bool {
        self.is_outcome_ignored(state)
            && self.leaves_out_help()
            && (state.made.helping != 0
                || state.last_read.is_some() && state.frames().any(|frame| frame.is_idle(state)))
    }

    #[inline]
    pub(super) fn is_outcome_ignored(&self, state: &VmState) -> bool {
        let (frame, options) = (&state.frame, &self.options);
        let ignored = &self.info(frame.func).ignored_outcomes;
        ignored.get(frame.pc as usize).copied().unwrap_or(false)
            && matches!(self.current(state), Instr::Cmpxchg { weak, .. } if !weak || options.weak_cas_failures == 0)
    }

    /// The thread waits until somebody else has done what it would do.
    pub(super) fn wait_for_owner(&self, state: &mut VmState) -> Op {
        state.loads_at_header = state.loads - 1;
        Op::Block(state.spin())
    }

    pub(super) fn help_at(&self, state: &VmState) -> Option<Help> {
        let (Stage::Helping, Instr::Cmpxchg { expected, desired, bytes, success, .. }) =
            (&state.stage, self.current(state))
        else {
            return None;
        };
        Some(Help {
            expected: self.as_value(state, *expected, *bytes),
            desired: self.as_value(state, *desired, *bytes),
            mode: *success,
        })
    }
}
