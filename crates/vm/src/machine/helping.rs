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
use super::state::{LastRead, RECENT, Stage, VmState};
use super::zne::only_computes;
use crate::undefined::{Origin, Val};
use selvedge_graph::{Loc, Mode};
use selvedge_ir::{Instr, Operand, Reg, registers};
use selvedge_machine::{Block, Help, Op, Reduction};

/// How many instructions to look ahead.
const FAR: usize = 96;

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
        match state.stage {
            Stage::Helping => self.help(state, state.recent[0]),
            _ => state.would_help.as_deref().copied(),
        }
    }

    /// What the compare-and-exchange that the thread is at would do.
    fn help(&self, state: &VmState, loc: Loc) -> Option<Help> {
        let Instr::Cmpxchg { expected, desired, bytes, success, .. } = *self.current(state) else {
            return None;
        };
        let known = |operand: Operand| self.value(state, operand).undef == 0;
        (known(expected) && known(desired)).then(|| Help {
            loc,
            expected: self.as_value(state, expected, bytes),
            desired: self.as_value(state, desired, bytes),
            mode: success,
        })
    }

    /// Whether a thread that is about to load from `loc` can only wait, whatever it reads: it comes to a
    /// step that it leaves to another thread, or not, and the iteration has no effect in either case. Then it
    /// waits at once: the load would only have other values to read without any consequence. It has read from
    /// the same location in this iteration, so whatever is wrong with the access was wrong before.
    #[inline]
    pub(super) fn waits_for_owner(&self, state: &mut VmState, loc: Loc, dst: Reg) -> Option<Op> {
        let worthwhile = self.hooks.may_help && state.recent.contains(&loc) && self.leaves_out_help();
        if !worthwhile || !state.frames().any(|frame| frame.is_idle(state)) {
            return None;
        }
        let mut ahead = state.clone();
        ahead.frame.set_val(dst, Val::undefined(Origin::default()));
        ahead.frame.pc += 1;
        // What the last operation was tells a helper.
        ahead.last_read = Some(LastRead { loc, mode: Mode::Rlx, value: 0 });
        self.waits_in_any_case(state, ahead, loc, None)
    }

    /// The same if it is at such a step.
    pub(super) fn waits_after_help(&self, state: &mut VmState, loc: Loc) -> Option<Op> {
        let help = self.help(state, loc)?;
        let ahead = self.after_failure(state);
        self.waits_in_any_case(state, ahead, loc, Some(help))
    }

    /// The thread after the compare-and-exchange that it is at failed.
    fn after_failure(&self, state: &VmState) -> VmState {
        let mut ahead = state.clone();
        if let Instr::Cmpxchg { dst, bytes, .. } = *self.current(state) {
            ahead.frame.set_val(dst, Val::undefined(Origin::default()));
            ahead.frame.set(dst + registers(bytes), 0);
            ahead.frame.pc += 1;
        }
        ahead
    }

    /// Goes all ways that there are from `ahead`, where some registers hold what is not known yet. If all of
    /// them end an iteration without effect, and there is one step to leave to another thread: waits.
    #[cold]
    fn waits_in_any_case(
        &self,
        state: &mut VmState,
        ahead: VmState,
        loc: Loc,
        mut help: Option<Help>,
    ) -> Option<Op> {
        let (mut pending, mut header) = (vec![ahead], None);
        for _ in 0..FAR {
            let Some(mut at) = pending.pop() else { break };
            match *self.function(at.frame.func).code.get(at.frame.pc as usize)? {
                Instr::LoopBack { number } => {
                    let loads = self.is_idle(&at, number)?;
                    if header.is_some_and(|(other, _)| other != loads) {
                        return None;
                    }
                    let chose = at.frame.choices_at(number) != Some(at.choices);
                    header = Some((loads, chose));
                    continue;
                }
                Instr::Cmpxchg { .. } => {
                    let step = self.is_help(&at).then(|| self.help(&at, loc)).flatten()?;
                    if self.cell_of_step(&at) != Some(loc) || help.is_some_and(|other| other != step) {
                        return None;
                    }
                    help = Some(step);
                    pending.push(self.after_failure(&at));
                    continue;
                }
                Instr::Branch { cond, then, els } if self.value(&at, cond).undef != 0 => {
                    let mut other = at.clone();
                    (at.frame.pc, other.frame.pc) = (then, els);
                    pending.extend([at, other]);
                    continue;
                }
                Instr::Return { .. } | Instr::Call { .. } => {}
                ref instr if only_computes(instr) => {}
                _ => return None,
            }
            if !matches!(self.run(&mut at), Ok(None)) {
                return None;
            }
            pending.push(at);
        }
        let (loads, chose) = header.filter(|_| pending.is_empty())?;
        let read = (state.loads - loads) as usize;
        if !state.recent[..read.min(RECENT)].contains(&loc) {
            return None;
        }
        state.would_help = Some(Box::new(help?));
        state.loads_at_header = loads;
        Some(Op::Block(if chose { Block::Assume } else { state.spin() }))
    }

    fn cell_of_step(&self, state: &VmState) -> Option<Loc> {
        match *self.current(state) {
            Instr::Cmpxchg { addr, bytes, .. } => self.cell_at(state, addr, bytes),
            _ => None,
        }
    }
}
