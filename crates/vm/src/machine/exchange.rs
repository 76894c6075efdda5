//! Read-modify-writes that store what they have read, in loops that wait (`Reduction::Exchange`).
//!
//! `while (atomic_exchange(&l, 1));` takes a lock. An attempt that fails stores the 1 that was there and goes
//! round; so does `atomic_flag_test_and_set`, and `fetch_or(&l, 1)`. Like a compare-and-exchange that fails,
//! it may as well only read.
//!
//! *Nothing is lost.* Take an execution, and leave out an iteration that comes back to its header in the
//! state that it started in, and of which the only effect is one read-modify-write `u` that stores what it
//! read. Let `u` have read from `s`. Whoever read from `u` now reads from `s`, which has the same value; so
//! all threads do the same as before. `u` came directly after `s` in coherence, so its place is simply free,
//! and if another read-modify-write came directly after `u`, it now comes directly after `s`. Happens-before
//! does not get larger: what a read learned from `s`, it had learned from `s` through `u` before. That the
//! execution is consistent is what `forgets-rmws` says of a model, and `forgets-reads` of the other reads of
//! the iteration. With all such iterations left out, what is left of a waiting loop is its last iteration,
//! which does something else, or the thread waits in it for ever. So it is enough to explore executions in
//! which read-modify-writes of such iterations do not write, and their threads wait.
//!
//! *Nothing is added*: a thread that waits has not gone further than to its loop, and what others do does not
//! depend on a read of it; where it goes on, it did not make the attempts that failed.
//!
//! *Who could tell* is a plain read: it races with a write of the same location, but not with a read. Whether
//! there are such reads is found out by the explorer (`reductions/swaps.rs`), and then these
//! read-modify-writes write again. In programs that say of writes that they are final, they always do.
//!
//! Whether an iteration goes round is found out by running it: up to its end, which it has to reach without
//! another visible operation; or up to a load of the same location after which it comes to its end in any case
//! (`polls`): such loads only let time pass, and if there is an error in one of them, there is one in the
//! read-modify-write as well.

use super::VmMachine;
use super::state::{Stage, VmState};
use selvedge_graph::{Loc, Value};
use selvedge_ir::{Instr, RmwOp};
use selvedge_machine::{Block, Machine, Op, Reduction};

/// How many instructions there may be between the read-modify-write and the end of the iteration: pauses of
/// all kinds are made there.
const FAR: usize = 10_000;

impl VmMachine {
    /// Whether a thread that stands at a read-modify-write may turn out to have done nothing.
    pub(super) fn may_go_round_idly(&self, state: &VmState, op: RmwOp) -> bool {
        let reductions = self.options.reductions;
        op.may_keep()
            && self.options.leave_out_undone
            && reductions.has(Reduction::Exchange)
            && reductions.has(Reduction::Pef)
            && !self.options.track_deps
            && !self.hooks.final_writes
            && state.frames().any(|frame| frame.watches.iter().any(|watch| watch.is_unseen(state)))
    }

    /// What such a thread does when it has read `input`: it writes, or waits.
    pub(super) fn swap(&self, state: &mut VmState, loc: Loc, input: u64) -> Op {
        let mut ahead = state.clone();
        let store = self.rmw_store(&mut ahead, loc, input);
        if !matches!(store, Op::Store { value, .. } if value as u64 == input) {
            *state = ahead;
            return store;
        }
        let written = ahead.clone();
        ahead.stage = Stage::Fetch;
        ahead.frame.pc += 1;
        for _ in 0..FAR {
            let code = &self.function(ahead.frame.func).code;
            let at_end = matches!(code.get(ahead.frame.pc as usize), Some(Instr::LoopBack { .. }));
            let poll = self.info(ahead.frame.func).polls.get(ahead.frame.pc as usize).copied().flatten();
            match self.run(&mut ahead) {
                Ok(None) => {}
                Ok(Some(Op::Load { loc: same, .. })) if same == loc => {
                    let Some(wait) = poll.and_then(|number| self.goes_round(&mut ahead, number)) else {
                        break;
                    };
                    *state = ahead;
                    return Op::Block(wait);
                }
                // A loop that waits has read something, so it is one that this iteration is of.
                Ok(Some(wait @ Op::Block(_))) if at_end => {
                    *state = ahead;
                    return wait;
                }
                _ => break,
            }
        }
        *state = written;
        store
    }

    /// Why to wait at a load after which the loop goes round, if the iteration had no effect.
    fn goes_round(&self, state: &mut VmState, number: u32) -> Option<Block> {
        let choices = state.choices;
        let watch = state.frame.watches.iter().find(|w| w.is_of(number))?;
        let chose = watch.has_chosen(choices);
        // The read-modify-write is part of the iteration.
        state.loads_at_header = self.is_idle(state, number).filter(|then| *then < state.loads)?;
        Some(if chose { Block::Assume } else { Block::Spin })
    }

    /// What such a thread stores if it reads `value`, where it waits if it reads that, and the last read
    /// before is part of the iteration.
    pub(super) fn swaps(&self, state: &VmState, value: Value) -> Option<Value> {
        if !matches!(state.stage, Stage::SwapLoaded(_)) {
            return None;
        }
        let (mut taking, mut waiting) = (state.clone(), state.clone());
        let Op::Store { value: stored, rmw: true, .. } = self.step(&mut taking, value) else { return None };
        let waits = matches!(self.step(&mut waiting, stored), Op::Block(_));
        (waits && waiting.loads_at_header + 1 < waiting.loads).then_some(stored)
    }
}
